import { useQuery } from '@tanstack/react-query';
import { DEFAULT_COUNTRY, type User } from '../../../shared/accounts.ts';
import type { Api } from '../../../shared/api.ts';
import type { BuyerAnswer } from '../../../shared/catalog.ts';
import type { CheckoutStatus, GuestAccess } from '../../../shared/checkout.ts';
import type { OutputOf } from '../../../shared/endpoint.ts';
import type { Order } from '../../../shared/orders.ts';
import { pricesOf, type Totals, toCents, toDollars, totalsOf } from '../../../shared/pricing.ts';
import type { ShippingAddress } from '../../../shared/shipping.ts';
import { call, codeOf, isTransient, messageOf } from '../../lib/api-client.ts';
import type { PurchasedUnits } from '../../state/cart-actions.ts';
import { isSoldOut, type PricedLine } from '../../state/cart-lines.ts';
import type { ConfirmedPayment } from './card/card-entry.ts';

export interface BuyerDetails {
  guest: boolean;
  name: string;
  email: string;
  phone: string;
  /** Undefined for an order without parcels. */
  shippingAddress: ShippingAddress | undefined;
  /** Answers to the buyer fields, by product id. */
  answers: Record<string, BuyerAnswer[]>;
}

/** What the buyer saw when pressing Pay; money in cents of USD. */
export interface CartSnapshot {
  lines: readonly PricedLine[];
  totals: Totals;
}

/** A sold-out line is shown but not counted. */
export const snapshotOf = (lines: readonly PricedLine[], shippingCents = 0): CartSnapshot => ({
  lines,
  totals: totalsOf(
    lines.filter((line) => !isSoldOut(line)),
    shippingCents,
  ),
});

/** Orders with physical goods use other calls. */
const ordersOf = ({ lines }: CartSnapshot) => (needsShipping(lines) ? '/orders' : '/digital-orders');

/** Converts the lines for the API, with prices in dollars. The server charges its own prices. */
export const orderItemsOf = ({ lines }: CartSnapshot) =>
  lines.map(({ product, quantity, unitPriceCents }) => ({
    product: product._id,
    name: product.name,
    quantity,
    price: toDollars(unitPriceCents),
    image: product.image,
  }));

/** What the shop does about a repeated order: `allow` once the buyer has confirmed it. */
export type OnRepeat = 'ask' | 'allow';

/** Asks the shop to hold the products and to open a payment at its own price. Throws CallError if the shop refuses. */
export function createPaymentIntent(buyer: BuyerDetails, snapshot: CartSnapshot, onRepeat: OnRepeat) {
  const { guest, email, name, phone, shippingAddress, answers } = buyer;
  const orders = ordersOf(snapshot);
  const orderItems = orderItemsOf(snapshot).map(({ image: _, ...item }) => ({
    ...item,
    answers: answers[item.product],
  }));
  const totalPrice = toDollars(snapshot.totals.totalCents);
  const body = { orderItems, totalPrice, onRepeat, ...(shippingAddress && { shippingAddress }) };
  if (guest) {
    const contact = { guestEmail: email, guestName: name, guestPhone: phone };
    return call(`POST ${orders}/guest/create-payment-intent`, { body: { ...body, ...contact } });
  }
  const contact = { contactEmail: email, contactName: name, contactPhone: phone };
  return call(`POST ${orders}/create-payment-intent`, { body: { ...body, ...contact } });
}

/** Returns the payment of an order if the shop knows that it is authorised or captured. */
export async function findPayment(orderId: string): Promise<ConfirmedPayment | undefined> {
  const { data } = await call('GET /digital-orders/guest/checkout');
  if (data?.orderId !== orderId || data.state !== 'paid') return undefined;
  return { id: data.paymentIntentId, status: 'requires_capture' };
}

export interface ConfirmedOrder {
  buyer: BuyerDetails;
  snapshot: CartSnapshot;
  payment: ConfirmedPayment;
  /** Chosen by a guest for the new account. */
  password: string;
}

export interface PlacedOrder {
  orderId: string;
  guest: boolean;
  email: string;
  orderItems: readonly PurchasedUnits[];
  /** Absent if not known yet. */
  order?: Pick<Order, 'orderType' | 'orderItems' | 'waitingUnits'>;
  /** `mailed`: the mail opens the order, as the buyer is not signed in, e.g. after closing the page. */
  access: GuestAccess | 'mailed';
  session?: { token: string; user: User };
}

const GUEST_ADDRESS = { street: 'N/A', city: 'N/A', state: 'N/A', zipCode: '00000', country: DEFAULT_COUNTRY };

/** Finishes an order whose card was confirmed; throws CallError when the shop stays unreachable or refuses. */
export async function submitOrder({ buyer, snapshot, payment, password }: ConfirmedOrder): Promise<PlacedOrder> {
  const { guest, email, name, shippingAddress = GUEST_ADDRESS } = buyer;
  const orders = ordersOf(snapshot);
  const { itemsPrice, taxPrice, shippingPrice, totalPrice } = pricesOf(snapshot.totals);
  const body = {
    orderItems: orderItemsOf(snapshot),
    contactEmail: email,
    paymentMethod: 'card',
    paymentResult: payment,
    itemsPrice,
    taxPrice,
    ...(orders === '/orders' && { shippingPrice, shippingAddress }),
    totalPrice,
  };
  if (!guest) {
    const { data } = await withRetry(() => call(`POST ${orders}`, { body }));
    return { orderId: data._id, orderItems: data.orderItems, order: data, guest, email, access: 'signed-in' };
  }
  const account = { guestEmail: email, guestName: name, guestPassword: password };
  const { data } = await withRetry(() =>
    call(`POST ${orders}/guest`, { body: { ...body, ...account, shippingAddress } }),
  );
  return guestOrderOf(email, data);
}

/** Finishes the order that a guest paid before closing the page, and sets the new account's password. */
export async function finishGuestOrder(email: string, password: string): Promise<PlacedOrder> {
  const { data } = await withRetry(() => call('POST /digital-orders/guest/checkout', { body: { password } }));
  return guestOrderOf(email, data);
}

/** Finishes the order that a customer paid before closing the page. */
export async function finishCustomerOrder(checkout: CheckoutStatus): Promise<Order> {
  const { paymentIntentId: id, totalPrice } = checkout;
  const orderItems = checkout.orderItems.map((item) => ({ ...item, name: '', price: 0 }));
  const paymentResult = { id, status: 'requires_capture' };
  const body = { orderItems, paymentResult, totalPrice };
  return (await withRetry(() => call('POST /digital-orders', { body }))).data;
}

type GuestOrder = OutputOf<Api['POST /digital-orders/guest']>['data'];

function guestOrderOf(email: string, order: GuestOrder): PlacedOrder {
  const { _id: orderId, orderItems, access, token, user } = order;
  const session = token && user && { session: { token, user } };
  return { orderId, orderItems, order, guest: true, email, access, ...session };
}

// The payment is confirmed by now and a repeated call returns the same order, so retrying is safe.
const RETRY_DELAYS_MS = [500, 1500, 4000, 5000];
// After this the page says that the payment is safe.
const MAX_RETRY_MS = 12_000;

/**
 * Whether the shop has not answered the call for a paid order. A rejection without a code of the shop comes from a proxy or
 * a firewall.
 */
export const isUnanswered = (failure: unknown): boolean => isTransient(failure) || codeOf(failure) === 'INTERNAL';

async function withRetry<T>(attempt: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await attempt();
    } catch (failure) {
      if (!isUnanswered(failure) || performance.now() - startedAt + delayMs > MAX_RETRY_MS) throw failure;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return attempt();
}

export const needsShipping = (lines: readonly PricedLine[]): boolean =>
  lines.some((line) => line.product.kind === 'physical' && !isSoldOut(line));

export type ShippingQuote = NonNullable<ReturnType<typeof useShippingQuote>>;

/** The price of shipping to a country, given by name. Undefined for a cart without physical goods. */
export function useShippingQuote(lines: readonly PricedLine[], country: string) {
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
    /** Price in cents of USD; undefined while it is not known. */
    cents: known && known.shippingPrice !== null ? toCents(known.shippingPrice) : undefined,
    /** Shipping is free for physical goods worth this many cents or more. */
    freeAboveCents: known?.freeShippingAbove ? toCents(known.freeShippingAbove) : undefined,
    problem: error ? messageOf(error, 'The price of shipping is not known.') : undefined,
    /** Repeats the call; undefined if that would not help. */
    retry: error && !isRefused ? () => void refetch() : undefined,
  };
}
