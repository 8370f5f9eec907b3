import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmptyShop } from '../../../test/demo-shop.ts';
import { createShopper } from '../../../test/shopper.ts';
import { openTestShop } from '../../../test/test-shop.ts';
import { type Period, trendPercent, trendPeriods, trendText } from '../../shared/admin.ts';
import { DAY_MS } from '../../shared/durations.ts';
import { effectivePrice, taxOn } from '../../shared/pricing.ts';
import { checkBooks } from '../features/books/check-books.ts';
import { priceTermsOfRow } from '../features/catalog/offers.ts';
import { reconcilePayments } from '../features/checkout/reconcile-payments.ts';
import { sweepOrders } from '../features/checkout/sweep-orders.ts';
import type { Database } from '../platform/database/database.ts';
import { demoAccounts, makeDemoData } from './make-demo-data.ts';

const now = new Date('2026-03-09T10:30:00Z');

const demo = await openEmptyShop(now);
afterAll(() => demo.close());
await makeDemoData(demo);

async function amount(db: Database, select: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT coalesce((${select}), 0)::integer AS n`.execute(db);
  return rows[0]?.n ?? Number.NaN;
}

const within = (column: string, { from, to }: Period) =>
  sql`${sql.ref(column)} >= ${from} AND ${sql.ref(column)} < ${to}`;

/** The statements behind each tile's figure, in cents or pieces. */
const measures = {
  revenue: (period: Period) => sql`
    SELECT sum(total_cents) FROM orders WHERE state IN ('fulfilled', 'disputed') AND ${within('paid_at', period)}`,
  'revenue at the provider': (period: Period) => sql`
    SELECT sum(captured_cents - refunded_cents) FROM test_mode_intents WHERE ${within('created_at', period)}`,
  'orders paid': (period: Period) => sql`SELECT count(*) FROM orders WHERE ${within('paid_at', period)}`,
  'orders people see': (period: Period) => sql`
    SELECT count(*) FROM orders WHERE ${within('created_at', period)} AND cancel_reason IS DISTINCT FROM 'abandoned'`,
  'orders of all kinds': (period: Period) => sql`SELECT count(*) FROM orders WHERE ${within('created_at', period)}`,
  users: (period: Period) => sql`SELECT count(*) FROM users WHERE ${within('created_at', period)}`,
  products: (period: Period) => sql`
    SELECT count(*) FROM products WHERE ${within('created_at', period)}`,
};

async function trendsAt(db: Database, moment: Date): Promise<Record<string, string>> {
  const { current, previous } = trendPeriods(moment);
  const entries = Object.entries(measures).map(async ([name, measure]) => {
    const [last, before] = [await amount(db, measure(current)), await amount(db, measure(previous))];
    return [name, trendText(trendPercent({ current: last, previous: before }))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const designed = {
  revenue: '+12.5%',
  'revenue at the provider': '+12.5%',
  'orders paid': '+8.2%',
  'orders people see': '+8.2%',
  'orders of all kinds': '+8.2%',
  users: '+15.3%',
  products: '+5.0%',
};

describe('the trends', () => {
  it.each([
    ['in the morning', '2026-03-09T10:30:00Z'],
    ['at midnight of a new year', '2027-01-01T00:00:00Z'],
    ['at midnight in Kuala Lumpur', '2026-07-03T16:00:00Z'],
    ['in the last instant of a leap day', '2028-02-29T23:59:59.999Z'],
    ['a month after a leap day', '2028-03-31T00:00:00.001Z'],
    ['in the hour that European clocks repeat', '2026-10-25T01:30:00Z'],
  ])('have their designed values for a day, for demo data made %s', async (_, moment) => {
    const made = new Date(moment);
    const shop = await openEmptyShop(made);
    try {
      await makeDemoData(shop);
      for (const passedMs of [0, 1, DAY_MS / 2, DAY_MS - 1])
        expect(await trendsAt(shop.db, new Date(made.getTime() + passedMs))).toEqual(designed);
    } finally {
      await shop.close();
    }
  });
});

describe('orders', () => {
  it('of every outcome agree with their payments and refunds at the provider', async () => {
    const { rows } = await sql<{ state: string; apart: number; n: number }>`
      SELECT state, count(*)::integer AS n,
        count(*) FILTER (WHERE captured_cents - intents.refunded_cents <> CASE state WHEN 'fulfilled' THEN total_cents ELSE 0 END
          OR amount_cents <> total_cents OR metadata->>'order_id' IS DISTINCT FROM orders.id::text
          OR intents.refunded_cents <> coalesce((SELECT sum(amount_cents) FROM test_mode_refunds WHERE intent_id = intents.id), 0)
        )::integer AS apart
      FROM test_mode_intents AS intents FULL JOIN orders ON orders.payment_intent_id = intents.id
      GROUP BY state ORDER BY state`.execute(demo.db);
    expect(rows.map(({ state, apart }) => [state, apart])).toEqual([
      ['cancelled', 0],
      ['fulfilled', 0],
      ['refunded', 0],
    ]);
    expect(rows.every(({ n }) => n > 5)).toBe(true);
  });

  it('of digital goods have one item per unit if fulfilled from stock or refunded, and no item otherwise', async () => {
    const { rows } = await sql<{ state: string; held: string }>`
      SELECT DISTINCT orders.state, CASE
          WHEN (SELECT array_agg(unit ORDER BY unit) FROM items WHERE order_line_id = order_lines.id)
            = (SELECT array_agg(n) FROM generate_series(1, quantity) AS n)
          THEN (SELECT string_agg(DISTINCT items.state, ',') FROM items
                WHERE order_line_id = order_lines.id AND items.product_id = order_lines.product_id)
          ELSE (SELECT count(*) FROM items WHERE order_line_id = order_lines.id)::text END AS held
      FROM order_lines JOIN orders ON orders.id = order_id WHERE type = 'digital' ORDER BY 1, 2`.execute(demo.db);
    expect(rows).toEqual([
      { state: 'cancelled', held: '0' },
      { state: 'fulfilled', held: '0' },
      { state: 'fulfilled', held: 'sold' },
      { state: 'refunded', held: 'quarantined' },
    ]);
  });

  it('contain only products that existed at that time, at the price of that time', async () => {
    const orders = await demo.db.selectFrom('orders').selectAll().execute();
    const orderOf = new Map(orders.map((order) => [order.id, order]));
    const products = await demo.db.selectFrom('products').selectAll().execute();
    const lines = await demo.db.selectFrom('order_lines').selectAll().execute();
    const sums = new Map<string, number>();
    for (const line of lines) {
      const order = orderOf.get(line.order_id);
      const product = products.find(({ id }) => id === line.product_id);
      if (!product) throw new Error(`There is no product ${line.product_id}`);
      const boughtAt = order?.created_at ?? now;
      expect(product.created_at < boughtAt).toBe(true);
      expect(order?.type).toBe(product.kind);
      expect(line.unit_price_cents).toBe(effectivePrice(priceTermsOfRow(product), 1, boughtAt).unitPriceCents);
      sums.set(line.order_id, (sums.get(line.order_id) ?? 0) + line.unit_price_cents * line.quantity);
    }
    for (const { id, items_cents: itemsCents, tax_cents: taxCents, shipping_cents: shippingCents, type } of orders) {
      expect([itemsCents, taxCents]).toEqual([sums.get(id), taxOn(itemsCents)]);
      expect(shippingCents > 0).toBe(type === 'physical');
    }
  });

  it('agree with the sold counts of the products', async () => {
    const { rows } = await sql`
      SELECT name FROM products
      WHERE sold_count <> (SELECT count(*) FROM items WHERE product_id = products.id AND state = 'sold')
        + (SELECT coalesce(sum(counted_units), 0) FROM order_lines WHERE product_id = products.id AND counted_state = 'sold' AND delivery IS NULL)`.execute(
      demo.db,
    );
    expect(rows).toEqual([]);
    expect(await amount(demo.db, sql`SELECT sum(sold_count) FROM products`)).toBeGreaterThan(400);
  });

  it('have no date in the future, and each account is as old as its first order', async () => {
    const late = sql`SELECT count(*) FROM orders WHERE greatest(created_at, paid_at, fulfilled_at, cancelled_at,
      refunded_at, shipped_at, delivered_at) > ${now}`;
    expect(await amount(demo.db, late)).toBe(0);
    const others = sql`SELECT count(*) FROM users WHERE role = 'customer' AND created_at <>
      (SELECT min(created_at) FROM orders WHERE user_id = users.id AND guest AND made_account)`;
    expect(await amount(demo.db, others)).toBe(0);
  });

  it('of physical goods are processing, shipped or delivered by their age', async () => {
    const { rows } = await sql<{ stage: string; n: number }>`
      SELECT CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN shipped_at IS NOT NULL THEN 'shipped' ELSE 'processing' END
        AS stage, count(*)::integer AS n
      FROM orders WHERE type = 'physical' AND state = 'fulfilled' GROUP BY stage ORDER BY min(created_at) DESC`.execute(
      demo.db,
    );
    expect(rows.map(({ stage }) => stage).sort()).toEqual(['delivered', 'processing', 'shipped']);
  });

  it('record a reveal for each item that the customer has seen', async () => {
    const seen = await demo.db.selectFrom('items').select('id').where('first_viewed_at', 'is not', null).execute();
    const ledger = await demo.db.selectFrom('reveals').select('item_id').execute();
    expect(ledger.map(({ item_id }) => item_id).sort()).toEqual(seen.map(({ id }) => id).sort());
    // Of the five digital units in viewed orders one is a book, a file, which counts as seen only when it is
    // downloaded.
    expect(seen).toHaveLength(4);
  });
});

const shop = await openTestShop();
await makeDemoData({ ...shop.deps, testMode: true });

describe('in a running shop,', () => {
  it('the sweeper and the reconciliation find nothing to do or to report', async () => {
    const orders = () => shop.deps.db.selectFrom('orders').selectAll().orderBy('id').execute();
    const before = await orders();
    const logged = shop.logLines.length;
    expect(await sweepOrders(shop.deps)).toBe(false);
    await reconcilePayments(shop.deps);
    expect(await orders()).toEqual(before);
    expect(shop.logLines.slice(logged)).toEqual([]);
  });

  it('the check of the books finds no fault', async () => {
    const { faults } = await checkBooks(shop.deps);
    // The receipts are excepted: this shop started numbering them before its past orders were made.
    expect(faults.filter(({ invariant }) => invariant !== 'receipts')).toEqual([]);
  });

  it('the customer has a downloadable book, an order awaiting manual delivery and an answered report', async () => {
    const shopper = createShopper(shop.url);
    await shopper.signIn('customer@kedai.test', demoAccounts[0]?.password ?? '');
    const { body } = await shopper.get('/api/digital-orders/myorders');
    const [waiting, vpn, dinner] = (body.data as unknown as { _id: string }[]).map(({ _id }) => _id);
    const items = async (id = '') => (await shopper.get(`/api/digital-orders/${id}/items`)).body.data?.['items'];
    expect(await items(waiting)).toMatchObject([
      { waitingNumbers: [1], answers: [{}, { value: 'English' }], items: [] },
    ]);
    expect((await items(vpn)) as unknown).toContainEqual(
      expect.objectContaining({
        items: [expect.objectContaining({ content: expect.stringMatching(/^User: .+\nPassword: /) })],
      }),
    );
    expect(await items(dinner)).toMatchObject([
      { productName: 'Spotify Premium Individual, 3 Months' },
      { items: [{ content: null, file: { name: 'nasi-lemak-at-dawn.pdf' } }] },
    ]);
    const reports = await shopper.get(`/api/problem-reports?order=${dinner}`);
    expect(reports.body.data).toMatchObject({
      reports: [{ state: 'answered', messages: [{ side: 'buyer' }, { side: 'shop' }] }],
    });
  });

  it('the customer sees parcels with address, shipping and status', async () => {
    const shopper = createShopper(shop.url);
    await shopper.signIn('customer@kedai.test', demoAccounts[0]?.password ?? '');
    const { body } = await shopper.get('/api/orders/myorders');
    const address = { city: 'Kuala Lumpur', country: 'Malaysia' };
    const sent = {
      ...{ orderType: 'physical', isPaid: true, shippingPrice: 5.9, shippingAddress: address },
      parcels: [{ carrier: 'Pos Laju', trackingNumber: expect.stringMatching(/^DEMO-[0-9A-F]{8}$/) }],
    };
    expect(body.data).toMatchObject([
      { ...sent, status: 'Shipped' },
      { ...sent, status: 'Delivered' },
    ]);
    const digital = await shopper.get('/api/digital-orders/myorders');
    expect(digital.body.data).toMatchObject([
      { status: 'Processing' },
      { status: 'Delivered' },
      { status: 'Delivered' },
      { status: 'Delivered' },
    ]);
  });
});
