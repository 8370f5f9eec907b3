import { DEFAULT_COUNTRY, type User } from '../../../shared/accounts.ts';
import type { Api } from '../../../shared/api.ts';
import type { OutputOf } from '../../../shared/endpoint.ts';
import type { CheckoutStatus, GuestAccess } from '../../../shared/orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import { CallError, call } from '../../lib/api-client.ts';
import type { Bought } from '../../state/cart.tsx';
import type { Buyer } from './authorise.ts';
import type { ConfirmedPayment } from './card/card-entry.ts';
import { orderItemsOf, type Quote } from './quote.ts';

// The payment is confirmed by now, and repeating the call gives the same order: patience costs nothing.
const RETRY_AFTER_MS = [500, 1500, 4000, 5000];
// In all: the page then says that the payment is safe.
const PATIENCE_MS = 12_000;

const GUEST_ADDRESS = {
  street: 'N/A',
  city: 'N/A',
  state: 'N/A',
  zipCode: '00000',
  country: DEFAULT_COUNTRY,
};

export interface PlacedOrder {
  orderId: string;
  guest: boolean;
  email: string;
  orderItems: readonly Bought[];
  /** `mailed`: paid by a guest whose page was closed, and whose account was there before. */
  access: GuestAccess | 'mailed';
  /** Of a guest whom the purchase signed in. */
  session: { token: string; user: User } | undefined;
}

export interface PaidCart {
  buyer: Buyer;
  quote: Quote;
  payment: ConfirmedPayment;
  /** A guest's; the account's password. */
  password: string;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether the shop may have been out of reach, as opposed to having said no. */
export const mayPass = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status === 0 || failure.status === 429 || failure.status >= 500);

async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (const delayMs of RETRY_AFTER_MS) {
    try {
      return await attempt();
    } catch (failure) {
      if (!mayPass(failure) || performance.now() - startedAt + delayMs > PATIENCE_MS) throw failure;
      await pause(delayMs);
    }
  }
  return attempt();
}

/** Finishes an order whose card was confirmed; throws CallError when the shop stays out of reach or says no. */
export async function placeOrder({ buyer, quote, payment, password }: PaidCart): Promise<PlacedOrder> {
  const { itemsCents, taxCents, totalCents } = quote.totals;
  const body = {
    orderItems: orderItemsOf(quote),
    contactEmail: buyer.email,
    paymentMethod: 'card',
    paymentResult: payment,
    itemsPrice: toDollars(itemsCents),
    taxPrice: toDollars(taxCents),
    totalPrice: toDollars(totalCents),
  };
  if (!buyer.guest) {
    const { data } = await patiently(() => call('POST /digital-orders', { body }));
    const { _id: orderId, orderItems } = data;
    return { orderId, orderItems, guest: false, email: buyer.email, access: 'signed-in', session: undefined };
  }
  const { data } = await patiently(() =>
    call('POST /digital-orders/guest', {
      body: {
        ...body,
        guestEmail: buyer.email,
        guestName: buyer.name,
        guestPassword: password,
        shippingAddress: GUEST_ADDRESS,
      },
    }),
  );
  return placedByGuest(buyer.email, data);
}

/** Finishes the order this browser paid before its page was closed, and sets the new account's password. */
export async function finishOrder(email: string, password: string): Promise<PlacedOrder> {
  const { data } = await patiently(() => call('POST /digital-orders/guest/checkout', { body: { password } }));
  return placedByGuest(email, data);
}

/** Has the order finished that a customer paid before the page was closed. */
export async function hurryOrder({
  orderItems,
  paymentIntentId: id,
  totalPrice,
}: CheckoutStatus): Promise<void> {
  const items = orderItems.map((item) => ({ ...item, name: '', price: 0 }));
  const paymentResult = { id, status: 'requires_capture' };
  await patiently(() =>
    call('POST /digital-orders', { body: { orderItems: items, paymentResult, totalPrice } }),
  );
}

type GuestOrder = OutputOf<Api['POST /digital-orders/guest']>['data'];

function placedByGuest(email: string, order: GuestOrder): PlacedOrder {
  const { _id: orderId, orderItems, access, token, user } = order;
  const session = token && user ? { token, user } : undefined;
  return { orderId, orderItems, guest: true, email, access, session };
}
