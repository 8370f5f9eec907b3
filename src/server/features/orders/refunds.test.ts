import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { makeProduct } from '../../../../test/factories.ts';
import { findViolations, recordSales } from '../../../../test/faults/invariants.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { faultsOf } from '../../../../test/order-checks.ts';
import { createLookupDesk } from '../../../../test/order-lookups.ts';
import { type Bought, buyAsGuest } from '../../../../test/purchases.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { AppError } from '../../../shared/errors.ts';
import { orderNumber } from '../../../shared/format.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { PaymentRefused } from '../../platform/payments/payments.ts';
import { reconcilePayments } from '../checkout/reconcile-payments.ts';
import { cancelOrder } from '../checkout/settle-order.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';
import { decryptItem } from '../inventory/item-actions.ts';
import { retryRefund } from './finish-refunds.ts';
import { refundByAdmin } from './refund-order.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
await recordSales(shop.deps.db);
const desk = await openAdminOrders(shop);
const provider = await openProviderDesk(shop.deps.db, shop.deps.clock);

const reason = 'Does not work';
const refund = (orderId: string, body: object = {}) => desk.act(orderId, 'refund', { reason, ...body });

async function booksOf(orderId: string): Promise<string[]> {
  const { n } = await shop.deps.db
    .selectFrom('items')
    .select(({ fn, cast }) => cast<number>(fn.countAll(), 'integer').as('n'))
    .where('product_id', 'in', (eb) =>
      eb.selectFrom('order_lines').select('product_id').where('order_id', '=', orderId),
    )
    .executeTakeFirstOrThrow();
  return findViolations(shop.deps.db, { now: shop.deps.clock.now(), uploaded: n, orderId });
}

const intentOf = async (orderId: string) => (await desk.page(orderId)).paymentResult?.id ?? '';

describe('a refund of units', () => {
  it('repays their price and tax, withdraws unseen items first and leaves the buyer the rest', async () => {
    const { orderId, buyer, keys, products } = await buyAsGuest(
      shop,
      { quantity: 3, price_cents: 333 },
      { quantity: 1 },
    );
    const first = await desk.page(orderId);
    expect(first).toMatchObject({ refundable: true, totalPrice: 21.19, refunds: [] });
    const { page } = await refund(orderId, { lines: [{ line: first.lines[0]?._id, quantity: 2 }] });
    expect(page).toMatchObject({
      status: 'Delivered',
      refundable: true,
      refundedPrice: 7.06,
      refunds: [{ amount: 7.06, reason, state: 'done' }],
      lines: [{ refundedQuantity: 2 }, { refundedQuantity: 0 }],
    });
    expect(page.lines[0]?.items.map(({ state }) => state).sort()).toEqual(['quarantined', 'quarantined', 'sold']);
    expect(await keys()).toHaveLength(2);
    expect(await keys()).toContain(products[1]?.keys[0]);
    const itemsAsBought = async () => (await buyer.get(`/api/digital-orders/${orderId}/items`)).body.data?.items;
    expect(await itemsAsBought()).toMatchObject([
      { quantity: 3, returnedQuantity: 2, items: [{}] },
      { quantity: 1, returnedQuantity: 0, items: [{}] },
    ]);
    expect((await buyer.get('/api/digital-orders/myorders')).body.data).toMatchObject([
      { totalPrice: 21.19, refundedPrice: 7.06 },
    ]);
    expect(page.timeline.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['created', 'paid', 'delivered', 'refund-started', 'refunded', 'mail']),
    );
    expect(page.timeline.find(({ kind }) => kind === 'refund-started')?.text).toBe(
      `Refund of $7.06 begun by ${desk.email}: ${reason}`,
    );
    expect(await booksOf(orderId)).toEqual([]);

    // Items that were seen meanwhile are burnt, and the last refund gives all that is left.
    const last = await refund(orderId, { lines: first.lines.map(({ _id }) => ({ line: _id, quantity: 1 })) });
    expect(last.page).toMatchObject({
      status: 'Cancelled',
      state: 'refunded',
      refundable: false,
      refundedPrice: 21.19,
      lines: [{ refundedQuantity: 3 }, { refundedQuantity: 1, items: [{ state: 'burnt' }] }],
    });
    expect(await itemsAsBought()).toMatchObject([
      { returnedQuantity: 3, items: [] },
      { returnedQuantity: 1, items: [] },
    ]);
    expect(await booksOf(orderId)).toEqual([]);
    expect((await refund(orderId)).body.code).toBe('REFUND_REFUSED');
  });

  it('is refused for lines of another order, for too many units and without a reason', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 2 });
    const other = await desk.page((await buyAsGuest(shop, { quantity: 1 })).orderId);
    const line = (await desk.page(orderId)).lines[0]?._id;
    const refused = { status: 409, body: { code: 'REFUND_REFUSED' } };
    expect(await refund(orderId, { lines: [{ line: other.lines[0]?._id, quantity: 1 }] })).toMatchObject(refused);
    const doubled = [
      { line, quantity: 2 },
      { line, quantity: 1 },
    ];
    expect(await refund(orderId, { lines: doubled })).toMatchObject(refused);
    expect((await refund(orderId, { lines: [{ line, quantity: 0 }] })).status).toBe(400);
    expect((await refund(orderId, { reason: ' ' })).body.field).toBe('reason');
    expect((await desk.page(orderId)).refundedPrice).toBe(0);
  });

  it('is made once if the same dialog sends it again, at once or later', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 3 });
    const lines = [{ line: (await desk.page(orderId)).lines[0]?._id, quantity: 1 }];
    const press = (draft: string) => refund(orderId, { draft, lines });
    const dialog = randomUUID();
    const presses = [...(await Promise.all([press(dialog), press(dialog)])), await press(dialog)];
    expect(presses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await desk.page(orderId)).toMatchObject({ refundedPrice: 10.6, lines: [{ refundedQuantity: 1 }] });
    expect((await press(randomUUID())).page).toMatchObject({ refundedPrice: 21.2 });
    expect(await booksOf(orderId)).toEqual([]);
  });

  it('is refused with the idempotency key of another order’s refund, at once or later', async () => {
    const orders = [await buyAsGuest(shop, { quantity: 1 }), await buyAsGuest(shop, { quantity: 1 })];
    const draft = randomUUID();
    const answers = await Promise.all(orders.map(({ orderId }) => refund(orderId, { draft })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [given = '', refused = ''] = orders
      .map(({ orderId }) => orderId)
      .sort((one, other) => statusOf(one) - statusOf(other));
    expect(await refund(refused, { draft })).toMatchObject({ status: 409, body: { code: 'REFUND_REFUSED' } });
    expect((await refund(given, { draft })).status).toBe(200);
    expect((await desk.page(refused)).refundedPrice).toBe(0);
    expect((await refund(refused, { draft: randomUUID() })).status).toBe(200);

    function statusOf(orderId: string): number {
      return answers[orders.findIndex((order) => order.orderId === orderId)]?.status ?? 0;
    }
  });

  it('is made once for ten concurrent requests', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1 }, { quantity: 1 });
    const line = (await desk.page(orderId)).lines[0]?._id;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refund(orderId, { lines: [{ line, quantity: 1 }] })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const whole = await Promise.all(Array.from({ length: 10 }, () => refund(orderId)));
    expect(whole.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await desk.page(orderId)).toMatchObject({ state: 'refunded', refundedPrice: 21.2 });
    expect(await booksOf(orderId)).toEqual([]);
  });
});

describe('a refund as shown to the buyer', () => {
  const visa = { brand: 'visa', last4: '4242' };
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const itemsOf = async ({ orderId, buyer }: Bought) => {
    const { body } = await buyer.get(`/api/digital-orders/${orderId}/items`);
    return body.data as unknown as DeliveredItems;
  };

  /** Decrypts items that no page shows any more. */
  const keysOf = async (units: { _id: string }[]) => {
    const ids = units.map(({ _id }) => _id);
    const items = await shop.deps.db.selectFrom('items').selectAll().where('id', 'in', ids).execute();
    return Promise.all(items.map((item) => decryptItem(shop.deps, item)));
  };

  it('in full has badge, date, amount and card in lists, pages, lookup and mail, and no item', async () => {
    const bought = await buyAsGuest(shop, { quantity: 2 });
    const { orderId, buyer, guest, products } = bought;
    const { page } = await refund(orderId);
    const told = {
      status: 'Cancelled',
      refundStatus: 'Refunded',
      refunds: [{ amount: 21.2, state: 'done', at: moment, card: visa, items: [] }],
    };
    const mine = (await buyer.get('/api/digital-orders/myorders')).body.data;
    const items = await itemsOf(bought);
    const lookups = createLookupDesk(shop);
    const lookupId = await lookups.askFor(guest.email, orderNumber(orderId));
    const lookup = (await lookups.open(lookupId, await lookups.codeOf(lookupId))).body.data;
    expect(mine).toMatchObject([told]);
    expect(items).toMatchObject({ ...told, items: [{ returnedQuantity: 2, items: [] }] });
    expect(lookup).toMatchObject({ order: told, delivered: null });
    expect(page).toMatchObject({ ...told, refunds: [{ card: visa, reason }] });
    expect((await desk.list('digital', { q: guest.email })).data).toMatchObject([told]);
    expect(page.timeline.find(({ kind }) => kind === 'refunded')?.text).toBe('$21.20 given back to Visa •••• 4242');
    const mail = (await mailsTo(shop, guest.email)).find(({ subject }) => subject.includes('refunded'));
    expect(mail?.text).toMatch(/\$21\.20 went back to Visa •••• 4242 on \d+ \w+ \d{4}, \d\d:\d\d GMT\+8\.\n/);
    const sent = JSON.stringify([mine, items, lookup, page, mail]);
    for (const key of products.flatMap(({ keys }) => keys)) expect(sent).not.toContain(key);
  });

  it('in part names the returned units; the others keep their numbers, even after a replacement', async () => {
    const bought = await buyAsGuest(shop, { name: 'Orbit', quantity: 3, items: 4, warranty_days: 30 }, { quantity: 1 });
    const { orderId, guest, products } = bought;
    const { id: productId = '', name } = products[0] ?? {};
    // Unseen units are withdrawn first; the second unit is the unseen one.
    const ofProduct = shop.deps.db.updateTable('items').where('product_id', '=', productId);
    await ofProduct.set({ first_viewed_at: new Date() }).where('unit', '<>', 2).execute();
    const [line] = (await desk.page(orderId)).lines;
    await refund(orderId, { lines: [{ line: line?._id, quantity: 1 }] });
    const told = {
      status: 'Delivered',
      refundStatus: 'Partly refunded',
      refunds: [{ amount: 10.6, state: 'done', at: moment, card: visa, items: [{ name, quantity: 1 }] }],
    };
    expect((await bought.buyer.get('/api/digital-orders/myorders')).body.data).toMatchObject([told]);
    const left = await itemsOf(bought);
    expect(left).toMatchObject(told);
    expect(left.items[0]).toMatchObject({
      returnedNumbers: [2],
      items: [
        { number: 1, isReplacement: false },
        { number: 3, isReplacement: false },
      ],
    });
    expect(left.items[1]).toMatchObject({ returnedNumbers: [], items: [{ number: 1 }] });
    const faulty = line?.items.find(({ number }) => number === 3)?._id;
    const { page } = await desk.act(orderId, 'replace-item', { item: faulty, reason });
    expect(page.lines[0]?.items).toMatchObject([
      { number: 1, state: 'sold', isReplacement: false, isReplaced: false },
      { number: 2, state: 'quarantined' },
      { number: 3, state: 'burnt', isReplacement: false, isReplaced: true },
      { number: 3, state: 'sold', isReplacement: true, isReplaced: false },
    ]);
    const replaced = await itemsOf(bought);
    expect(replaced.items[0]?.items).toMatchObject([
      { number: 1, isReplacement: false },
      { number: 3, isReplacement: true },
    ]);
    const returned = await keysOf(page.lines[0]?.items.filter(({ state }) => state !== 'sold') ?? []);
    for (const key of returned) expect(JSON.stringify([page, replaced])).not.toContain(key);
    const mail = (await mailsTo(shop, guest.email)).find(({ subject }) => subject.includes('refunded'));
    expect(mail?.text).toContain(`$10.60 for 1 × ${name} went back to Visa •••• 4242 on `);
  });
});

describe('a refund at the provider', () => {
  const partAlerts = (orderId: string) =>
    shop.logLines.filter((line) => line.includes('partial-refund') && line.includes(orderId));

  it.each(['open', 'acknowledged'])('raises no alert if an earlier version raised it, and it is %s', async (state) => {
    const { orderId } = await buyAsGuest(shop, { quantity: 3 });
    const intentId = await intentOf(orderId);
    const alert = { id: randomUUID(), kind: 'partial-refund', subject: `${intentId}/100`, order_id: orderId } as const;
    const raised_at = shop.deps.clock.now();
    const end = state === 'acknowledged' ? { ended_at: raised_at, end_reason: 'A gift' } : {};
    await shop.deps.db
      .insertInto('alerts')
      .values({ ...alert, raised_at, ...end })
      .execute();
    await provider.refundPart(shop.url, intentId, 100);
    expect(await provider.deliver(shop.url, provider.writeEvent('charge.refunded', intentId))).toBe(200);
    expect(partAlerts(orderId)).toEqual([]);
  });

  it('raises an alert if staff made it for a part in the dashboard, but not if the shop made it', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 3 });
    const [intentId, line] = [await intentOf(orderId), (await desk.page(orderId)).lines[0]?._id];
    await refund(orderId, { lines: [{ line, quantity: 1 }] });
    const announce = () => provider.deliver(shop.url, provider.writeEvent('charge.refunded', intentId));
    expect(await announce()).toBe(200);
    expect(partAlerts(orderId)).toEqual([]);

    await provider.refundPart(shop.url, intentId, 100);
    expect(await announce()).toBe(200);
    expect(partAlerts(orderId)).toHaveLength(1);
    expect(await desk.page(orderId)).toMatchObject({ status: 'Delivered', refundedPrice: 10.6 });

    // Less is left at the provider than the shop knows of. Nevertheless exactly the whole amount is refunded.
    expect((await refund(orderId)).page).toMatchObject({ state: 'refunded' });
    expect(await shop.deps.payments.refundedCents(intentId)).toBe(3180);
  });

  const actor = { userId: null, name: 'The Admin', ip: '127.0.0.1' };
  const refuse = async () => {
    throw new PaymentRefused('failed', 'The bank does not take it');
  };
  /** The shop while its provider refuses every refund. */
  const refusing = () => ({ ...shop.deps, payments: { ...shop.deps.payments, refundIntent: refuse } });

  it('raises an alert for each refused attempt by an administrator, but not for the hourly retries', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    const alerts = async () => {
      const ofOrder = shop.deps.db.selectFrom('alerts').select('ended_at').where('order_id', '=', orderId);
      return (await ofOrder.orderBy('raised_at').execute()).map(({ ended_at }) => (ended_at ? 'ended' : 'open'));
    };
    await refundByAdmin(refusing(), { orderId, reason, actor });
    shop.pass(3_600_000);
    await sweepOrders(refusing());
    expect(await alerts()).toEqual(['open']);
    const [failed] = (await desk.page(orderId)).refunds;
    await retryRefund(refusing(), { orderId, refund: failed?._id ?? '', attempt: 1, actor });
    expect(await desk.page(orderId)).toMatchObject({ refunds: [{ state: 'failed', attempt: 2 }] });
    expect(await alerts()).toEqual(['ended', 'open']);
  });

  it('is retried an hour after a refusal, except for a part that staff refunded in the dashboard meanwhile', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 3 });
    const [intentId, line = ''] = [await intentOf(orderId), (await desk.page(orderId)).lines[0]?._id];
    for (const quantity of [1, 1]) {
      await refundByAdmin(refusing(), { orderId, reason, lines: [{ line, quantity }], actor });
    }
    expect(await desk.page(orderId)).toMatchObject({
      refundedPrice: 0,
      refunds: [{ state: 'failed' }, { state: 'failed' }],
    });
    await sweepOrders(shop.deps);
    expect(await shop.deps.payments.refundedCents(intentId)).toBe(0);

    await provider.refundPart(shop.url, intentId, 1060);
    shop.pass(3_600_000);
    await sweepOrders(shop.deps);
    expect(await desk.page(orderId)).toMatchObject({
      refundedPrice: 21.2,
      refunds: [{ state: 'done' }, { state: 'done' }],
    });
    expect(await shop.deps.payments.refundedCents(intentId)).toBe(2120);
    expect(await booksOf(orderId)).toEqual([]);
  });

  it('does not delay a refund begun meanwhile when it is refused', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 3 });
    const line = (await desk.page(orderId)).lines[0]?._id ?? '';
    const { payments } = shop.deps;
    const refundUnit = (refundIntent: typeof payments.refundIntent) =>
      refundByAdmin(
        { ...shop.deps, payments: { ...payments, refundIntent } },
        { orderId, reason, lines: [{ line, quantity: 1 }], actor: { userId: null, name: 'The Admin', ip: '' } },
      );
    await refundUnit(async () => {
      await refundUnit(async () => {
        throw new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away');
      });
      throw new PaymentRefused('failed', 'The bank does not take it');
    });
    expect(await desk.page(orderId)).toMatchObject({ refunds: [{ state: 'failed' }, { state: 'pending' }] });
    shop.pass(30_000);
    await sweepOrders(shop.deps);
    expect(await desk.page(orderId)).toMatchObject({ refundedPrice: 21.2 });
    expect(await booksOf(orderId)).toEqual([]);
  });

  it('ends the order when it covers all that is left', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 2 });
    const [intentId, line] = [await intentOf(orderId), (await desk.page(orderId)).lines[0]?._id];
    await refund(orderId, { lines: [{ line, quantity: 1 }] });
    await provider.act(shop.url, 'refund', intentId);
    await provider.deliver(shop.url, provider.writeEvent('charge.refunded', intentId));
    expect(await desk.page(orderId)).toMatchObject({ state: 'refunded', refundedPrice: 21.2 });
    expect(await booksOf(orderId)).toEqual([]);
  });
});

describe('a payment captured in part at the provider', () => {
  const HOLD_IS_OVER_MS = 4 * 60_000;

  it.each([
    ['the shop ends its order', sweepOrders],
    [
      'its order had ended before',
      async (deps: TestShop['deps'], orderId: string) => {
        await cancelOrder(deps, orderId, 'payment-failed');
        await reconcilePayments(deps);
      },
    ],
  ])('is refunded by the captured amount, in books, metrics and mail, when %s', async (_, end) => {
    const email = `captured-in-part-${randomUUID()}@example.com`;
    const product = await makeProduct(shop.deps, { price_cents: 2_000, items: 1 });
    const buyer = createShopper(shop.url);
    const { clientSecret = '', orderId = '' } = (await buyer.openPayment([{ product, quantity: 1 }], { email })).body;
    await buyer.confirmCard(clientSecret);
    const intents = shop.deps.db.updateTable('test_mode_intents').set({ status: 'succeeded', captured_cents: 300 });
    await intents.where('id', '=', await intentOf(orderId)).execute();
    const refunded: number[] = [];
    const metrics = { ...shop.deps.metrics, refunded: (cents: number) => void refunded.push(cents) };

    shop.pass(HOLD_IS_OVER_MS);
    await end({ ...shop.deps, metrics }, orderId);
    expect(await desk.page(orderId)).toMatchObject({
      state: 'refunded',
      totalPrice: 21.2,
      refundedPrice: 3,
      refunds: [{ amount: 3, state: 'done' }],
    });
    expect(refunded).toEqual([300]);
    const [mail] = await mailsTo(shop, email);
    expect(mail?.text).toContain('We have refunded what was taken for your order');
    expect(mail?.text).toContain('$3.00 went back to');
    expect(await booksOf(orderId)).toEqual([]);
    expect(await faultsOf(shop.deps, orderId)).toEqual([]);
  });
});
