import { useQuery } from '@tanstack/react-query';
import { toCents } from '../../../shared/pricing.ts';
import { call, codeOf, messageOf } from '../../lib/api-client.ts';
import { isSoldOut, type PricedLine } from '../../state/cart-prices.ts';

/** Whether a line that is not sold out is a physical product. */
export const needsShipping = (lines: readonly PricedLine[]): boolean =>
  lines.some((line) => line.product.kind === 'physical' && !isSoldOut(line));

/** The shop's quote for shipping this cart. */
export interface ShippingQuote {
  /** Price in cents of USD; undefined while it is not known. */
  cents: number | undefined;
  /** Shipping is free for physical goods worth this many cents or more. */
  freeAboveCents: number | undefined;
  /** The error message if there is no quote. */
  problem: string | undefined;
  /** Repeats the call; undefined if that would not help. */
  retry: (() => void) | undefined;
}

/**
 * Asks the server for the price of shipping to a country, given by name. Undefined for a cart without physical goods.
 */
export function useShippingQuote(lines: readonly PricedLine[], country: string): ShippingQuote | undefined {
  const needed = needsShipping(lines);
  const priced = lines.filter((line) => !isSoldOut(line));
  const orderItems = priced.map(({ product: { _id, name }, quantity }) => ({ product: _id, name, quantity }));
  const prices = priced.map(({ unitPriceCents }) => unitPriceCents);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ['shipping-quote', country, orderItems, prices],
    queryFn: async () => (await call('POST /orders/quote', { body: { orderItems, country } })).data,
    enabled: needed && country !== '',
    gcTime: 0,
  });
  if (!needed) return undefined;
  const isRefused = codeOf(error) === 'SHIPPING_UNAVAILABLE';
  const known = data && !isPlaceholderData && !error ? data : undefined;
  return {
    cents: known && known.shippingPrice !== null ? toCents(known.shippingPrice) : undefined,
    freeAboveCents: known?.freeShippingAbove ? toCents(known.freeShippingAbove) : undefined,
    problem: error ? messageOf(error, 'The price of shipping is not known.') : undefined,
    retry: error && !isRefused ? () => void refetch() : undefined,
  };
}
