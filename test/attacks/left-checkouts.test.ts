import { describe, expect, it, vi } from 'vitest';
import { reconcilePayments } from '../../src/server/features/checkout/reconcile-payments.ts';
import { releaseOrder } from '../../src/server/features/checkout/release-order.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { countStockOnSale } from '../../src/server/features/inventory/inventory.queries.ts';
import { getOrder } from '../../src/server/features/orders/orders.queries.ts';
import { type IntentStatus, PaymentRefused, type Payments } from '../../src/server/platform/payments/payments.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/shared/durations.ts';
import { AppError } from '../../src/shared/errors.ts';
import { type MadeProduct, makeProduct } from '../factories.ts';
import { CARDS, createShopper, intentIdOf, type Shopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });

interface Checkout {
  buyer: Shopper;
  product: MadeProduct;
  orderId: string;
  clientSecret: string;
  guest: { email: string; password: string };
}

let guests = 0;

/** Opens a guest's payment, so that the only key of a product is held. */
async function openCheckout(): Promise<Checkout> {
  guests += 1;
  const product = await makeProduct(shop.deps);
  const buyer = createShopper(shop.url);
  const guest = { email: `leaver-${guests}@example.com`, password: 'a password of a guest' };
  const { body } = await buyer.openPayment([{ product, quantity: 1 }], guest);
  return { buyer, product, orderId: body.orderId ?? '', clientSecret: body.clientSecret ?? '', guest };
}

const pressPayAgain = async ({ buyer, product, guest }: Checkout) =>
  (await buyer.openPayment([{ product, quantity: 1 }], guest)).body.orderId;

const leave = (buyer: Shopper, orderId: string, pageIsClosed: boolean) =>
  buyer.post('/api/digital-orders/guest/checkout/abandon', { orderId, pageIsClosed });

/** Advances the clock, then sweeps every order that is due, each of them once. */
async function sweepAfter(ms: number, payments: Payments = shop.deps.payments): Promise<void> {
  shop.pass(ms);
  while (await sweepOrders({ ...shop.deps, payments }));
}

const stateOf = async ({ orderId }: Checkout) =>
  (await shop.deps.db.selectFrom('orders').select('state').where('id', '=', orderId).executeTakeFirstOrThrow()).state;

const intentOf = ({ clientSecret }: Checkout) => shop.deps.payments.retrieveIntent(intentIdOf(clientSecret));

async function expectBackOnSale(checkout: Checkout): Promise<void> {
  expect(await stateOf(checkout)).toBe('cancelled');
  expect((await intentOf(checkout)).status).toBe('canceled');
  expect(await countStockOnSale(shop.deps.db, checkout.product.id)).toEqual({ available: 1, held: 0 });
}

async function expectHeld(checkout: Checkout): Promise<void> {
  expect(await stateOf(checkout)).toBe('pending');
  expect(await countStockOnSale(shop.deps.db, checkout.product.id)).toEqual({ available: 0, held: 1 });
}

/** Returns a provider whose intents have this status, as while a bank takes its time; the test mode's never do. */
const answering = (status: IntentStatus): Payments => ({
  ...shop.deps.payments,
  retrieveIntent: async (id) => ({ ...(await shop.deps.payments.retrieveIntent(id)), status }),
});

describe('a hold', () => {
  it('ends after 3 minutes', async () => {
    const checkout = await openCheckout();
    const { created_at, hold_expires_at } = await getOrder(shop.deps.db, checkout.orderId);
    expect(hold_expires_at.getTime() - created_at.getTime()).toBe(3 * MINUTE_MS);
    await sweepAfter(2 * MINUTE_MS);
    await expectHeld(checkout);
    await sweepAfter(MINUTE_MS + 30 * SECOND_MS);
    await expectBackOnSale(checkout);
  });

  it('survives a decline, so that the order can be paid with another card', async () => {
    const checkout = await openCheckout();
    const { buyer, product, clientSecret, guest } = checkout;
    expect((await buyer.confirmCard(clientSecret, CARDS.declined)).status).toBe(402);
    await sweepAfter(2 * MINUTE_MS);
    await expectHeld(checkout);
    expect(await pressPayAgain(checkout)).toBe(checkout.orderId);
    await buyer.confirmCard(clientSecret);
    expect((await buyer.placeOrder([{ product, quantity: 1 }], clientSecret, guest)).status).toBe(201);
  });

  it('ends after 3 minutes if the card was declined', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret, CARDS.declined);
    await sweepAfter(3 * MINUTE_MS + 30 * SECOND_MS);
    await expectBackOnSale(checkout);
  });

  it('lasts up to 15 minutes during card authentication, and ends early if authentication fails', async () => {
    const [open, failed] = [await openCheckout(), await openCheckout()];
    for (const { buyer, clientSecret } of [open, failed]) await buyer.confirmCard(clientSecret, CARDS.challenge);
    for (let minute = 1; minute <= 7; minute += 1) await sweepAfter(MINUTE_MS);
    await expectHeld(open);
    await expectHeld(failed);
    expect(await pressPayAgain(open)).toBe(open.orderId);
    // The authentication fails, which leaves the payment without a card.
    await failed.buyer.confirmCard(failed.clientSecret, CARDS.declined);
    for (let minute = 8; minute <= 14; minute += 1) await sweepAfter(MINUTE_MS);
    await expectBackOnSale(failed);
    await expectHeld(open);
    await sweepAfter(MINUTE_MS + 30 * SECOND_MS);
    await expectBackOnSale(open);
  });

  it('is settled, not released, if the card was authorised', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret, CARDS.challenge);
    for (let minute = 1; minute <= 5; minute += 1) await sweepAfter(MINUTE_MS);
    await checkout.buyer.confirmCard(checkout.clientSecret);
    await sweepAfter(10 * MINUTE_MS);
    expect(await stateOf(checkout)).toBe('fulfilled');
  });

  it('does not end while the card is being processed', async () => {
    const checkout = await openCheckout();
    for (let minute = 1; minute <= 20; minute += 1) await sweepAfter(MINUTE_MS, answering('processing'));
    await expectHeld(checkout);
    await sweepAfter(MINUTE_MS);
    await expectBackOnSale(checkout);
  });

  it('that is about to end is not reused: pressing Pay again opens a new order', async () => {
    const checkout = await openCheckout();
    shop.pass(2 * MINUTE_MS + 50 * SECOND_MS);
    expect(await pressPayAgain(checkout)).not.toBe(checkout.orderId);
    await sweepAfter(30 * SECOND_MS);
    expect(await stateOf(checkout)).toBe('cancelled');
  });
});

describe('a checkout whose payment the provider refuses to create', () => {
  const failToMake = (error: Error) => vi.spyOn(shop.deps.payments, 'createIntent').mockRejectedValueOnce(error);
  const refuse = () => failToMake(new PaymentRefused('amount_too_small', 'The amount is too small'));

  /** Opens a checkout while the provider is away: the order has no payment yet. */
  async function openWithoutPayment(): Promise<Checkout> {
    failToMake(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away'));
    const checkout = await openCheckout();
    const orders = shop.deps.db.selectFrom('orders').select('id').where('contact_email', '=', checkout.guest.email);
    return { ...checkout, orderId: (await orders.executeTakeFirstOrThrow()).id };
  }

  async function expectCancelled({ orderId, product }: Checkout, reason: string): Promise<void> {
    const order = shop.deps.db.selectFrom('orders').select(['state', 'cancel_reason']).where('id', '=', orderId);
    expect(await order.executeTakeFirstOrThrow()).toEqual({ state: 'cancelled', cancel_reason: reason });
    expect(await countStockOnSale(shop.deps.db, product.id)).toEqual({ available: 1, held: 0 });
  }

  it('releases its goods when the hold ends', async () => {
    const checkout = await openWithoutPayment();
    await expectHeld(checkout);
    refuse();
    await sweepAfter(3 * MINUTE_MS + SECOND_MS);
    await expectCancelled(checkout, 'payment-failed');
  });

  it('releases its goods when the buyer presses Pay again', async () => {
    const checkout = await openWithoutPayment();
    refuse();
    const answer = await checkout.buyer.openPayment([{ product: checkout.product, quantity: 1 }], checkout.guest);
    expect(answer).toMatchObject({ status: 402, body: { code: 'PAYMENT_NOT_CONFIRMED' } });
    await expectCancelled(checkout, 'payment-failed');
  });

  it('releases its goods when the order is cancelled, and keeps the reason of the cancellation', async () => {
    const checkout = await openWithoutPayment();
    refuse();
    const alsoWrite = vi.fn(async () => undefined);
    await releaseOrder(shop.deps, checkout.orderId, 'by-admin', alsoWrite);
    await expectCancelled(checkout, 'by-admin');
    expect(alsoWrite).toHaveBeenCalledOnce();
  });

  it('keeps its goods if another call has created the payment meanwhile', async () => {
    const checkout = await openCheckout();
    const stored = { payment_intent_id: intentIdOf(checkout.clientSecret) };
    const order = shop.deps.db.updateTable('orders').where('id', '=', checkout.orderId);
    await order.set({ payment_intent_id: null }).execute();
    vi.spyOn(shop.deps.payments, 'createIntent').mockImplementationOnce(async () => {
      await order.set(stored).execute();
      throw new PaymentRefused('resource_missing', 'No such payment');
    });
    await expect(releaseOrder(shop.deps, checkout.orderId, 'abandoned')).rejects.toThrow(PaymentRefused);
    await expectHeld(checkout);
  });
});

describe('a checkout whose payment belongs to another provider account', () => {
  it('releases its goods only when the hold ends', async () => {
    const checkout = await openCheckout();
    const order = shop.deps.db.updateTable('orders').where('id', '=', checkout.orderId);
    await order.set({ payment_intent_id: `pi_${checkout.orderId.replaceAll('-', '')}` }).execute();
    await expect(releaseOrder(shop.deps, checkout.orderId, 'by-admin')).rejects.toThrow(PaymentRefused);
    await expectHeld(checkout);
    await sweepAfter(3 * MINUTE_MS + SECOND_MS);
    expect(await stateOf(checkout)).toBe('cancelled');
    expect(await countStockOnSale(shop.deps.db, checkout.product.id)).toEqual({ available: 1, held: 0 });
  });

  it('releases the reserved money once the provider finds the payment', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret);
    const retrieveIntent = () => Promise.reject(new PaymentRefused('resource_missing', 'No such payment_intent'));
    await sweepAfter(3 * MINUTE_MS + SECOND_MS, { ...shop.deps.payments, retrieveIntent });
    expect(await stateOf(checkout)).toBe('cancelled');
    expect((await intentOf(checkout)).status).toBe('requires_capture');
    await reconcilePayments(shop.deps);
    await expectBackOnSale(checkout);
  });
});

describe('a paid checkout whose payment belongs to another provider account', () => {
  it('keeps its goods, raises one alert, and is delivered once the provider finds the payment', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret);
    const { payments } = shop.deps;
    const captureIntent = () => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'away'));
    await sweepAfter(MINUTE_MS, { ...payments, captureIntent });
    expect(await stateOf(checkout)).toBe('capturing');
    const retrieveIntent = () => Promise.reject(new PaymentRefused('resource_missing', 'No such payment_intent'));
    for (const _ of [1, 2]) await sweepAfter(MINUTE_MS, { ...payments, retrieveIntent });
    expect(await stateOf(checkout)).toBe('capturing');
    const alerts = shop.deps.db.selectFrom('alerts').select('kind').where('order_id', '=', checkout.orderId);
    expect(await alerts.execute()).toEqual([{ kind: 'payment-not-found' }]);
    await sweepAfter(MINUTE_MS);
    expect(await stateOf(checkout)).toBe('fulfilled');
  });
});

describe('a paid checkout that cannot be completed', () => {
  const alertsAbout = ({ orderId }: { orderId: string }) =>
    shop.deps.db.selectFrom('alerts').select(['kind', 'ended_at']).where('order_id', '=', orderId).execute();

  it.each([
    { end: 'delivered', answer: {}, state: 'fulfilled' },
    {
      end: 'cancelled',
      answer: { captureIntent: () => Promise.reject(new PaymentRefused('card_declined', 'Capture declined')) },
      state: 'cancelled',
    },
  ])('raises an alert 20 minutes after it was opened, which ends when the order is $end', async ({ answer, state }) => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret);
    const { payments } = shop.deps;
    const captureIntent = () => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'away'));
    for (const minutes of [1, 18]) await sweepAfter(minutes * MINUTE_MS, { ...payments, captureIntent });
    expect(await alertsAbout(checkout)).toEqual([]);
    // Raised by the first visit after 20 minutes, and not again by the next.
    for (const _ of [1, 2]) {
      await sweepAfter(MINUTE_MS, { ...payments, captureIntent });
      expect(await stateOf(checkout)).toBe('capturing');
      expect(await alertsAbout(checkout)).toEqual([{ kind: 'not-delivered', ended_at: null }]);
    }
    await sweepAfter(MINUTE_MS, { ...payments, ...answer });
    expect(await stateOf(checkout)).toBe(state);
    expect(await alertsAbout(checkout)).toEqual([{ kind: 'not-delivered', ended_at: expect.any(Date) }]);
  });

  it('raises the alert, too, if each visit of the pending order fails, but not while the provider is away', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret);
    const failing = (error: Error) => ({ ...shop.deps.payments, retrieveIntent: () => Promise.reject(error) });
    await sweepAfter(21 * MINUTE_MS, failing(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'away')));
    expect(await alertsAbout(checkout)).toEqual([]);
    await sweepAfter(MINUTE_MS, failing(new PaymentRefused('more_permissions_required', 'The key may not do this')));
    expect(await alertsAbout(checkout)).toEqual([{ kind: 'not-delivered', ended_at: null }]);
    await sweepAfter(MINUTE_MS);
    expect(await stateOf(checkout)).toBe('fulfilled');
    expect(await alertsAbout(checkout)).toEqual([{ kind: 'not-delivered', ended_at: expect.any(Date) }]);
  });
});

describe('a checkout that the buyer leaves', () => {
  it('releases its goods at once', async () => {
    const checkout = await openCheckout();
    expect((await leave(checkout.buyer, checkout.orderId, false)).status).toBe(200);
    await expectBackOnSale(checkout);
  });

  it('releases its goods at once after a decline', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret, CARDS.declined);
    await leave(checkout.buyer, checkout.orderId, false);
    await expectBackOnSale(checkout);
  });

  it('keeps its goods during card authentication, and delivers them afterwards', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret, CARDS.challenge);
    await leave(checkout.buyer, checkout.orderId, false);
    await expectHeld(checkout);
    await sweepAfter(31 * SECOND_MS);
    await expectHeld(checkout);
    await checkout.buyer.confirmCard(checkout.clientSecret);
    await sweepAfter(31 * SECOND_MS);
    expect(await stateOf(checkout)).toBe('fulfilled');
  });

  it('delivers its goods if the card was authorised', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret);
    await leave(checkout.buyer, checkout.orderId, false);
    expect(await stateOf(checkout)).toBe('fulfilled');
  });

  it('keeps its goods until the provider confirms that the payment is cancelled', async () => {
    const checkout = await openCheckout();
    const away: Payments = {
      ...shop.deps.payments,
      cancelIntent: () => Promise.reject(new Error('The provider is away')),
    };
    await leave(checkout.buyer, checkout.orderId, true);
    await sweepAfter(MINUTE_MS, away);
    await expectHeld(checkout);
    await sweepAfter(31 * SECOND_MS);
    await expectBackOnSale(checkout);
  });

  it('cannot be abandoned by another browser', async () => {
    const [checkout, stranger] = [await openCheckout(), await openCheckout()];
    await leave(stranger.buyer, checkout.orderId, false);
    await leave(createShopper(shop.url), checkout.orderId, false);
    await expectHeld(checkout);
  });

  it('does not affect an order that is already paid', async () => {
    const { buyer, product, clientSecret, guest, orderId } = await openCheckout();
    await buyer.confirmCard(clientSecret);
    const cart = [{ product, quantity: 1 }];
    expect((await buyer.placeOrder(cart, clientSecret, guest)).status).toBe(201);
    await leave(buyer, orderId, false);
    expect((await buyer.placeOrder(cart, clientSecret, guest)).status).toBe(201);
  });
});

describe('a checkout whose page is closed', () => {
  it('releases its goods after 60 seconds', async () => {
    const checkout = await openCheckout();
    await leave(checkout.buyer, checkout.orderId, true);
    await sweepAfter(59 * SECOND_MS);
    await expectHeld(checkout);
    await sweepAfter(SECOND_MS);
    await expectBackOnSale(checkout);
  });

  it.each<[string, (checkout: Checkout) => Promise<unknown>]>([
    ['opens the checkout again', ({ buyer }) => buyer.get('/api/digital-orders/guest/checkout')],
    ['presses Pay again', pressPayAgain],
  ])('keeps its goods for a buyer who %s within 60 seconds', async (_how, comeBack) => {
    const checkout = await openCheckout();
    await leave(checkout.buyer, checkout.orderId, true);
    await sweepAfter(50 * SECOND_MS);
    await comeBack(checkout);
    await sweepAfter(100 * SECOND_MS);
    await expectHeld(checkout);
    expect(await pressPayAgain(checkout)).toBe(checkout.orderId);
    await sweepAfter(MINUTE_MS);
    await expectBackOnSale(checkout);
  });

  it('keeps its goods while the card is being authenticated or processed', async () => {
    const [authenticated, processed] = [await openCheckout(), await openCheckout()];
    await authenticated.buyer.confirmCard(authenticated.clientSecret, CARDS.challenge);
    for (const { buyer, orderId } of [authenticated, processed]) await leave(buyer, orderId, true);
    for (let minute = 1; minute <= 5; minute += 1) await sweepAfter(MINUTE_MS, answering('processing'));
    await expectHeld(authenticated);
    await expectHeld(processed);
    await sweepAfter(MINUTE_MS);
    await expectHeld(authenticated);
    await expectBackOnSale(processed);
  });

  it('is delivered if the card was authorised', async () => {
    const checkout = await openCheckout();
    await checkout.buyer.confirmCard(checkout.clientSecret);
    await leave(checkout.buyer, checkout.orderId, true);
    await sweepAfter(MINUTE_MS);
    expect(await stateOf(checkout)).toBe('fulfilled');
  });
});
