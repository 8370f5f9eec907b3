import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import {
  insertOrder,
  makeGoods,
  makeParcel,
  makeProduct,
  makeUser,
  TEST_PASSWORD,
} from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { refusingRefunds } from '../../../../test/order-checks.ts';
import { createLookupDesk } from '../../../../test/order-lookups.ts';
import { createShopper, TEST_ADDRESS } from '../../../../test/shopper.ts';
import { systemClock } from '../../../../test/system-clock.ts';
import { openTestShop, PATIENT } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { orderNumber } from '../../../shared/format.ts';
import type { Receipt } from '../../../shared/order-page.ts';
import { readConfig } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { type Database, fieldOf, type Transaction } from '../../platform/database/database.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { listReceiptFaults } from '../books/books.queries.ts';
import { checkBooks } from '../books/check-books.ts';
import { refundByAdmin } from '../orders/refund-order.ts';
import { issueReceipts } from './issue-receipts.ts';
import { listOrdersWithoutReceipt } from './receipts.ts';

const numbersIn = async (db: Database) =>
  (await db.selectFrom('receipts').select('number').orderBy('number').execute()).map(({ number }) => number);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Several processes at once, until nothing is left to number. */
async function issueAll(deps: Parameters<typeof issueReceipts>[0]): Promise<void> {
  while ((await Promise.all([1, 2, 3].map(() => issueReceipts(deps)))).includes(true));
  await issueReceipts(deps);
}

const shop = await openTestShop({
  ...PATIENT,
  deliverTestWebhooks: false,
  settings: { SELLER_NAME: 'Kedai Sdn Bhd', SELLER_ADDRESS: '3 Jalan Besar, Ipoh', SELLER_TAX_ID: 'C1234' },
});

describe('the receipts of a shop', () => {
  const receiptsOf = async (reader: ReturnType<typeof createShopper>, orderId: string) =>
    (await reader.get(`/api/orders/${orderId}/receipts`)).body.data as unknown as Receipt[];

  it('are numbered 1 to 50 for fifty orders settled at once, while several processes number them', async () => {
    const product = await makeProduct(shop.deps, { items: 50 });
    const cart = [{ product, quantity: 1 }];
    const buyers = upTo(50).map((n) => ({ n, shopper: createShopper(shop.url) }));
    const paid = await Promise.all(
      buyers.map(({ n, shopper }) => shopper.authorise(cart, { email: `at-once-${n}@example.com` })),
    );
    let isSelling = true;
    const numbering = (async () => {
      while (isSelling) await Promise.all([issueReceipts(shop.deps), issueReceipts(shop.deps)]);
    })();
    const answers = await Promise.all(paid.map(({ place }) => place()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    isSelling = false;
    await numbering;
    await issueAll(shop.deps);
    expect(await numbersIn(shop.deps.db)).toEqual(upTo(50));
    expect((await checkBooks(shop.deps, { patienceMs: 0 })).faults).toEqual([]);
  });

  it('have the card of the payment without another request to the provider', async () => {
    const buyer = createShopper(shop.url);
    const product = await makeProduct(shop.deps);
    const guest = { email: 'known-card@example.com', name: 'Guest' };
    const { orderId } = await buyer.buy([{ product, quantity: 1 }], guest);
    await issueAll({ ...shop.deps, payments: {} as Deps['payments'] });
    expect((await receiptsOf(buyer, orderId))[0]).toMatchObject({ card: { brand: 'visa', last4: '4242' } });
  });

  it('mark the credit note of a settled refund as repaid in another way', async () => {
    const desk = await openAdminOrders(shop);
    const buyer = createShopper(shop.url);
    const product = await makeProduct(shop.deps);
    const { orderId } = await buyer.buy([{ product, quantity: 1 }], { email: 'by-hand@example.com' });
    await refundByAdmin(refusingRefunds(shop.deps), {
      orderId,
      reason: 'Broken',
      actor: { userId: null, name: 'The Admin', ip: '' },
    });
    const [failed] = (await desk.page(orderId)).refunds;
    const settled = { refund: failed?._id, attempt: failed?.attempt, reason: 'By bank transfer' };
    await desk.act(orderId, 'settle-refund', settled);
    await issueAll(shop.deps);
    expect(await receiptsOf(buyer, orderId)).toMatchObject([
      { kind: 'receipt', isByHand: false },
      { kind: 'credit-note', isByHand: true, card: null },
    ]);
  });

  it('credit a returned refund once, even if staff repay a part at the provider and the rest in another way', async () => {
    const desk = await openAdminOrders(shop);
    const provider = await openProviderDesk(shop.deps.db);
    const buyer = createShopper(shop.url);
    const product = await makeProduct(shop.deps);
    const { orderId } = await buyer.buy([{ product, quantity: 1 }], { email: 'returned@example.com' });
    const { page } = await desk.act(orderId, 'refund', { reason: 'Broken' });
    await issueAll(shop.deps);
    const intentId = page.paymentResult?.id ?? '';
    await provider.endRefund(intentId, { status: 'failed' });
    await provider.refundPart(shop.url, intentId, 400);
    await provider.deliver(shop.url, provider.writeEvent('refund.failed', intentId));
    const [returned] = (await desk.page(orderId)).refunds;
    const settled = { refund: returned?._id, attempt: returned?.attempt, reason: 'By bank transfer' };
    const { refunds } = (await desk.act(orderId, 'settle-refund', settled)).page;
    expect(refunds.map(({ amount }) => amount)).toEqual([6.6, 4]);
    await issueAll(shop.deps);
    expect(await receiptsOf(buyer, orderId)).toMatchObject([{ total: 10.6 }, { kind: 'credit-note', total: 10.6 }]);
    expect(await listReceiptFaults(shop.deps.db)).toEqual([]);
  });

  it('state seller, buyer, lines, shipping, tax and card, with a credit note for each refund', async () => {
    const desk = await openAdminOrders(shop);
    const mouse = await makeGoods(shop.deps, 'physical', 3);
    const game = await makeProduct(shop.deps, { items: 3, price_cents: 333 });
    const buyer = createShopper(shop.url);
    const guest = { email: 'receipts@example.com', name: 'Nur Aisyah' };
    const cart = [
      { product: mouse, quantity: 1 },
      { product: game, quantity: 3 },
    ];
    const { orderId } = await buyer.buy(cart, guest);
    await issueAll(shop.deps);
    const lines = [
      { name: mouse.name, quantity: 1, price: 10 },
      { name: game.name, quantity: 3, price: 3.33 },
    ];
    const seller = { name: 'Kedai Sdn Bhd', address: '3 Jalan Besar, Ipoh', taxId: 'C1234' };
    const card = { brand: 'visa', last4: '4242' };
    const [receipt] = await receiptsOf(buyer, orderId);
    expect(receipt).toMatchObject({
      kind: 'receipt',
      seller,
      buyer: { ...guest, address: TEST_ADDRESS },
      lines,
      adjustments: [
        { label: 'Shipping', amount: 5.9 },
        { label: 'Tax (6%)', amount: 1.2 },
      ],
      total: 27.09,
      card,
    });

    const [, keys] = (await desk.page(orderId)).lines;
    const refund = (body: object) => desk.act(orderId, 'refund', { reason: 'For us', message: 'Sorry!', ...body });
    await refund({ lines: [{ line: keys?._id, quantity: 2 }] });
    // A product that was renamed since keeps, on the receipt, the name it was sold by.
    await shop.deps.db.updateTable('products').set({ name: 'New name' }).where('id', '=', game.id).execute();
    await refund({});
    await issueAll(shop.deps);
    const notes = (await receiptsOf(buyer, orderId)).slice(1);
    expect(notes).toMatchObject([
      {
        kind: 'credit-note',
        corrects: receipt?.number,
        lines: [{ name: game.name, quantity: 2, price: 3.33 }],
        adjustments: [{ label: 'Tax (6%)', amount: 0.4 }],
        total: 7.06,
        card,
        message: 'Sorry!',
      },
      {
        kind: 'credit-note',
        lines: [lines[0], { name: game.name, quantity: 1 }],
        adjustments: [
          { label: 'Shipping', amount: 5.9 },
          { label: 'Tax (6%)', amount: 0.8 },
        ],
        total: 20.03,
      },
    ]);
    expect(JSON.stringify(notes)).not.toContain('For us');
    expect((await receiptsOf(desk.admin, orderId)).map(({ number }) => number)).toHaveLength(3);

    const lookups = createLookupDesk(shop);
    const lookupId = await lookups.askFor(guest.email, orderNumber(orderId));
    const opened = await lookups.open(lookupId, await lookups.codeOf(lookupId));
    expect(opened.body.data?.['receipts']).toEqual([receipt, ...notes]);
    const stranger = createShopper(shop.url);
    await stranger.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    expect((await stranger.get(`/api/orders/${orderId}/receipts`)).status).toBe(404);
  });
});

describe('the series of receipts', () => {
  let database: TestDatabase;
  let db: Database;
  let deps: Parameters<typeof issueReceipts>[0];
  const card = { brand: 'visa', last4: '4242' };
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.connectionString);
    const payments = { findCard: async () => card } as unknown as Deps['payments'];
    deps = { db, clock: systemClock, config: readConfig({ DATABASE_URL: database.connectionString }), payments };
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  const pay = (paidAt = new Date()) =>
    makeParcel({ ...deps, passwords: {}, cipher: {} } as unknown as Deps, { paid_at: paidAt, fulfilled_at: paidAt });
  const cardsIn = async () =>
    (await db.selectFrom('receipts').select('content').orderBy('number').execute()).map(({ content }) => content.card);

  /** Counts the rows of orders and receipts that this connection has read lately. */
  const countRead = (trx: Transaction) => fieldOf<number>(trx)`
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer FROM pg_stat_xact_user_tables
    WHERE relname IN ('orders', 'receipts')`;

  it('has no gap after a failure while numbering', async () => {
    await pay();
    await issueAll(deps);
    await pay();
    const dying = { ...deps, config: undefined as unknown as Deps['config'] };
    await expect(issueReceipts(dying)).rejects.toThrow();
    await pay();
    await issueAll(deps);
    expect(await numbersIn(db)).toEqual([1, 2, 3]);
  });

  it('is in order of payment, in batches, and includes orders whose transaction committed late', async () => {
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
    for (let n = 0; n < 120; n += 1) await pay(hours(300 - n));
    await issueAll(deps);
    const paid = await db
      .selectFrom('receipts')
      .innerJoin('orders', 'orders.id', 'order_id')
      .select('paid_at')
      .orderBy('number')
      .execute();
    expect(paid).toHaveLength(120);
    expect(paid).toEqual(paid.toSorted((one, other) => Number(one.paid_at) - Number(other.paid_at)));
    await pay();
    await issueAll(deps);
    await pay(new Date(Date.now() - 30 * 60_000));
    await issueAll(deps);
    expect(await numbersIn(db)).toEqual(upTo(122));
  });

  it('waits half a minute for an unavailable provider, then continues without the card', async () => {
    const away = async () => {
      throw new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'away');
    };
    const without = { ...deps, payments: { findCard: away } as unknown as Deps['payments'] };
    const paidAt = new Date();
    const later = (ms: number) => ({ now: () => new Date(paidAt.getTime() + ms) });
    await pay(paidAt);
    await issueAll({ ...without, clock: later(30_000) });
    expect(await numbersIn(db)).toEqual([]);
    await issueAll({ ...without, clock: later(30_001) });
    await pay();
    await issueAll(deps);
    expect(await cardsIn()).toEqual([null, card]);
  });

  it('is continued after the clock was a day ahead and was set right', async () => {
    await pay();
    await issueAll({ ...deps, clock: { now: () => new Date(Date.now() + 24 * HOUR_MS) } });
    await pay();
    await issueAll(deps);
    expect(await numbersIn(db)).toEqual([1, 2]);
  });

  it('is continued without a look at the receipts of earlier orders', async () => {
    const template = await insertOrder(db, new Date(Date.now() - 48 * HOUR_MS));
    await sql`
      INSERT INTO orders SELECT (jsonb_populate_record(orders, jsonb_build_object('id', gen_random_uuid(), 'payment_intent_id', n))).*
      FROM orders, generate_series(1, 2000) AS n WHERE id = ${template}`.execute(db);
    await sql`
      INSERT INTO receipts (number, order_id, issued_at, content) SELECT row_number() OVER (), id, paid_at, '{}' FROM orders`.execute(
      db,
    );
    await sql`UPDATE receipt_series SET last_number = 2001, orders_until = now() - interval '1 hour'`.execute(db);
    await sql`ANALYZE`.execute(db);
    const due = [await insertOrder(db, new Date()), await insertOrder(db, new Date(), { type: 'physical' })];
    const { found, read } = await db.transaction().execute(async (trx) => {
      const before = await countRead(trx);
      return { found: await listOrdersWithoutReceipt(trx, 1000), read: (await countRead(trx)) - before };
    });
    expect(found.map(({ order_id: id }) => id).sort()).toEqual(due.sort());
    expect(read).toBeLessThan(100);
  });

  it('rejects changes and deletions of its receipts', async () => {
    await pay();
    await issueAll(deps);
    await expect(db.updateTable('receipts').set({ number: 7 }).execute()).rejects.toThrow('never changed');
    await expect(db.deleteFrom('receipts').execute()).rejects.toThrow('never changed');
  });
});
