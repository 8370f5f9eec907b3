import { atMostAtOnce } from '../../shared/cart-rules.ts';
import type { DigitalProduct } from '../../shared/catalog.ts';
import { priceTermsOf } from '../../shared/price-terms.ts';
import { effectivePrice, toDollars } from '../../shared/pricing.ts';
import type { CartEntry, CartProduct } from '../lib/cart-storage.ts';

export interface CartLine {
  product: CartProduct;
  quantity: number;
  /** Cents of USD that each unit costs now, at this quantity. */
  unitPriceCents: number;
  /** Cents that each cost when the shopper last chose the quantity, where that was another price. */
  previousPriceCents?: number | undefined;
  /** Says how many the buyer may hold at once, where the cart has more. */
  limitNote?: string | undefined;
}

const termsOf = (product: CartProduct) => priceTermsOf({ ...product, price: product.regularPrice });

/** Prices a line by the rule the server charges by, at `now`. */
export function priceLine({ product, quantity, seenPriceCents }: CartEntry, now: Date): CartLine {
  const { unitPriceCents } = effectivePrice(termsOf(product), quantity, now);
  const previousPriceCents = seenPriceCents === unitPriceCents ? undefined : seenPriceCents;
  return { product, quantity, unitPriceCents, previousPriceCents };
}

/** The entry with its price at `now` as the one that the shopper has seen. */
export const withSeenPrice = (entry: CartEntry, now: Date): CartEntry => ({
  ...entry,
  seenPriceCents: priceLine(entry, now).unitPriceCents,
});

/** Of a line that asks for more than there is; undefined when there is enough. */
export function stockNote({ product: { stock }, quantity }: CartEntry): string | undefined {
  if (stock >= quantity) return undefined;
  return stock === 0 ? 'Out of stock at the moment' : `${stock} available at the moment`;
}

/** What a sold-out line asks for is not to be paid. */
export const isSoldOut = ({ product: { stock } }: Pick<CartEntry, 'product'>): boolean => stock === 0;

/** What to do before the cart can be paid, where some of its lines ask for more than there is. */
export function stockRemedy(lines: readonly CartEntry[]): string | undefined {
  const short = lines.filter((line) => stockNote(line) !== undefined);
  if (short.length === 0) return undefined;
  return short.every(isSoldOut)
    ? 'Remove what is out of stock to go on.'
    : 'Take no more than is available to go on.';
}

/** The most of a product that this buyer may hold unpaid, as far as the browser knows: the shop decides by who has paid. */
export const maxAtOnce = (product: Pick<CartProduct, 'maxPerGuest'>, isGuest: boolean): number | null =>
  isGuest ? product.maxPerGuest : null;

/** Of a line that asks for more than that. */
export function limitNote({ product, quantity }: CartEntry, isGuest: boolean): string | undefined {
  const max = maxAtOnce(product, isGuest);
  return max !== null && quantity > max ? atMostAtOnce(max) : undefined;
}

/** What the cart keeps of a product; its `price` is that of one unit at `now`, in dollars. */
export function toCartProduct(product: DigitalProduct, now: Date): CartProduct {
  const { _id, name, image, category, stock, reserved, maxPerGuest, discount, flashSale } = product;
  const { unitPriceCents } = effectivePrice(priceTermsOf(product), 1, now);
  return {
    _id,
    name,
    image,
    category,
    stock,
    reserved,
    maxPerGuest,
    discount,
    flashSale,
    price: toDollars(unitPriceCents),
    regularPrice: product.price,
  };
}

/** The next moment, in milliseconds since 1970, at which an offer in the cart starts or ends. */
export function nextPriceChange(entries: readonly CartEntry[], now: Date): number | undefined {
  const moments = entries.flatMap(({ product }) => {
    const { discount, flashSale } = termsOf(product);
    return [discount?.startsAt, discount?.endsAt, flashSale?.startsAt, flashSale?.endsAt];
  });
  const ahead = moments.flatMap((moment) => (moment && moment > now ? [moment.getTime()] : []));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
