import { type Insertable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  insertLine,
  insertOrder,
  makePhysicalProduct,
  makeProduct,
  makeUser,
  TEST_PASSWORD,
} from '../../../../test/factories.ts';
import { countWaiting } from '../../../../test/locks.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { type AdminStats, type LowStockEntry, type Sales, trendText } from '../../../shared/admin.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import { demoAccounts, makeDemoData } from '../../demo/make-demo-data.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { refreshProductSales, rollUpSalesDays } from './stats.queries.ts';

interface Desk {
  shop: TestShop;
  stats(): Promise<AdminStats>;
  sales(days?: '7' | '30' | '90'): Promise<Sales>;
  lowStock(): Promise<LowStockEntry[]>;
  rollUp(): Promise<void>;
}

/** Starts a shop at noon in its time zone, so that the test does not depend on the time of day. */
async function startShopAtNoon(): Promise<TestShop> {
  const shop = await startTestShop();
  const noonMs = 4 * HOUR_MS;
  shop.pass(DAY_MS - ((shop.deps.clock.now().getTime() - noonMs) % DAY_MS));
  return shop;
}

async function openDesk(shop: TestShop, known?: { email: string; password: string }): Promise<Desk> {
  const { email } = known ?? (await makeUser(shop.deps, { role: 'admin' }));
  const shopper = createShopper(shop.url);
  await shopper.signIn(email, known?.password ?? TEST_PASSWORD);
  const read = async <T>(path: string) => {
    const { status, body } = await shopper.get(`/api/admin/${path}`);
    expect(status).toBe(200);
    return body.data as T;
  };
  return {
    shop,
    stats: () => read('stats'),
    sales: (days) => read(days === undefined ? 'sales' : `sales?days=${days}`),
    lowStock: () => read('low-stock'),
    rollUp: async () => {
      while (await rollUpSalesDays(shop.deps.db, shop.deps.clock.now()));
    },
  };
}

/** A paid order of one line, at $10.00 with 60 cents of tax a unit. */
async function makeOrder(
  { shop }: Desk,
  at: Date,
  {
    units = 1,
    product,
    ...overrides
  }: Partial<Insertable<Tables['orders']>> & { units?: number; product?: string } = {},
): Promise<string> {
  const amounts = { items_cents: 1000 * units, tax_cents: 60 * units, total_cents: 1060 * units };
  const id = await insertOrder(shop.deps.db, at, { ...amounts, ...overrides });
  if (product) await insertLine(shop.deps.db, { order_id: id, product_id: product, quantity: units, name: 'Then' });
  return id;
}

/** 01:00 on the shop's day, so many days ago. */
const daysAgo = ({ shop }: Desk, days: number) => {
  const today = new Date(shop.deps.clock.now().getTime() + 8 * HOUR_MS).setUTCHours(0, 0, 0, 0);
  return new Date(today - 8 * HOUR_MS - days * DAY_MS + HOUR_MS);
};

let desk: Desk;

describe('statistics of the demo data', () => {
  beforeAll(async () => {
    const shop = await startShopAtNoon();
    await makeDemoData({ ...shop.deps, testMode: true });
    desk = await openDesk(shop, demoAccounts[1]);
  });
  afterAll(() => desk.shop.stop());

  it('show the four designed trends, and are the same after past days are rolled up', async () => {
    const [stats, sales] = [await desk.stats(), await desk.sales('90')];
    const { revenue, orders, users, products } = stats.trends;
    expect([revenue, orders, users, products].map(trendText)).toEqual(['+12.5%', '+8.2%', '+15.3%', '+5.0%']);
    await desk.rollUp();
    expect(await desk.shop.deps.db.selectFrom('sales_days').select('day').execute()).not.toEqual([]);
    expect(await desk.stats()).toEqual(stats);
    expect(await desk.sales('90')).toEqual(sales);
  });

  it('list the best sellers with their units, and low stock with its days of cover', async () => {
    const { bestSellers } = await desk.sales();
    expect(bestSellers).toHaveLength(5);
    expect(bestSellers.every(({ name, units, revenue }) => name !== '' && units > 3 && revenue > 0)).toBe(true);
    const low = await desk.lowStock();
    expect(low).toHaveLength((await desk.stats()).lowStockItems);
    expect(low.some(({ daysOfCover }) => daysOfCover !== null && daysOfCover > 0)).toBe(true);
  });
});

describe('statistics of a shop', () => {
  beforeAll(async () => {
    desk = await openDesk(await startShopAtNoon());
  });
  afterAll(() => desk.shop.stop());

  it('are zero on each day of the span when there are no orders', async () => {
    const { totalRevenue, totalOrders, totalUsers, activeUsers, trends } = await desk.stats();
    expect({ totalRevenue, totalOrders, totalUsers, activeUsers }).toEqual({
      totalRevenue: 0,
      totalOrders: 0,
      totalUsers: 1,
      activeUsers: 1,
    });
    expect(trends).toEqual({ revenue: 0, orders: 0, users: null, products: 0 });
    for (const days of ['7', '30', '90'] as const) {
      const sales = await desk.sales(days);
      expect(sales.days).toHaveLength(Number(days));
      expect(sales.days.every(({ revenue, orders }) => revenue === 0 && orders === 0)).toBe(true);
      expect(sales.bestSellers).toEqual([]);
    }
  });

  it('count visible orders and net revenue by days in the time zone of the shop', async () => {
    const [today, yesterday] = [daysAgo(desk, 0), daysAgo(desk, 1)];
    const lastMoment = new Date(today.getTime() - HOUR_MS - 1);
    const unpaid = { paid_at: null, fulfilled_at: null };
    await makeOrder(desk, lastMoment, { units: 3 });
    await makeOrder(desk, new Date(lastMoment.getTime() + 1), { refunded_cents: 30 });
    await makeOrder(desk, yesterday, { state: 'disputed' });
    await makeOrder(desk, yesterday, { state: 'refunded' });
    await makeOrder(desk, yesterday, { state: 'cancelled', cancel_reason: 'payment-failed', ...unpaid });
    await makeOrder(desk, yesterday, { state: 'cancelled', cancel_reason: 'abandoned', ...unpaid });
    await makeOrder(desk, yesterday, { state: 'pending', ...unpaid });
    await makeOrder(desk, yesterday, { type: 'physical' });
    await makeOrder(desk, yesterday, { type: 'physical', shipped_at: yesterday });
    await makeOrder(desk, yesterday, { waiting_units: 1 });
    await makeOrder(desk, yesterday, { type: 'physical', shipped_at: yesterday, waiting_units: 1 });
    // Made before midnight, paid after it.
    await makeOrder(desk, lastMoment, { paid_at: today, fulfilled_at: today });
    const { days } = await desk.sales('7');
    expect(days.slice(-2)).toMatchObject([
      { revenue: 74.2, orders: 10 },
      { revenue: 20.9, orders: 1 },
    ]);
    const { totalRevenue, totalOrders, pendingOrders, trends } = await desk.stats();
    expect({ totalRevenue, totalOrders, pendingOrders }).toEqual({
      totalRevenue: 95.1,
      totalOrders: 11,
      pendingOrders: 4,
    });
    expect(trends).toMatchObject({ revenue: null, orders: null });
  });

  it('recalculate an old day after a refund or a lost dispute, even during a concurrent roll-up', async () => {
    const { db, clock } = desk.shop.deps;
    const old = daysAgo(desk, 40);
    const id = await makeOrder(desk, old, { units: 10 });
    const oldDay = async () => (await desk.sales('90')).days.at(-41);
    const kept = async () => {
      const day = (await oldDay())?.day ?? '';
      return db.selectFrom('sales_days').select('orders').where('day', '=', day).execute();
    };
    await desk.rollUp();
    expect(await kept()).toEqual([{ orders: 1 }]);
    expect(await oldDay()).toMatchObject({ revenue: 106, orders: 1 });

    let adding: Promise<boolean> | undefined;
    await db.transaction().execute(async (trx) => {
      await trx.updateTable('orders').set({ refunded_cents: 600 }).where('id', '=', id).execute();
      adding = rollUpSalesDays(db, clock.now());
      await expect.poll(() => countWaiting(db)).toBeGreaterThan(0);
    });
    await adding;
    expect(await kept()).toEqual([{ orders: 1 }]);
    expect(await oldDay()).toMatchObject({ revenue: 100, orders: 1 });

    for (const state of ['disputed', 'refunding'] as const) {
      await db.updateTable('orders').set({ state: 'fulfilled' }).where('id', '=', id).execute();
      await desk.rollUp();
      expect(await oldDay()).toMatchObject({ revenue: 100, orders: 1 });
      await db.updateTable('orders').set({ state }).where('id', '=', id).execute();
      expect(await kept()).toEqual([]);
      expect(await oldDay()).toMatchObject({ revenue: 0, orders: 1 });
    }
  });

  it('store the sum of a day only some time after its end', async () => {
    const { db } = desk.shop.deps;
    const today = (await desk.sales('7')).days.at(-1)?.day;
    await db.deleteFrom('sales_days').execute();
    const halfAnHourAgo = new Date(daysAgo(desk, 0).getTime() - HOUR_MS / 2);
    const newest = async () => {
      const { max } = await db
        .selectFrom('sales_days')
        .select(({ fn }) => sql<string>`${fn.max('day')}::text`.as('max'))
        .executeTakeFirstOrThrow();
      return max;
    };
    const dayBefore = (days: number) => new Date(Date.parse(today ?? '') - days * DAY_MS).toISOString().slice(0, 10);
    while (await rollUpSalesDays(db, halfAnHourAgo));
    expect(await newest()).toBe(dayBefore(2));
    await desk.rollUp();
    expect(await newest()).toBe(dayBefore(1));
  });

  it('count today again after the clock was a day ahead and was set right', async () => {
    const { db, clock } = desk.shop.deps;
    await makeOrder(desk, daysAgo(desk, 1));
    const aDayAhead = new Date(clock.now().getTime() + DAY_MS);
    while (await rollUpSalesDays(db, aDayAhead));
    const before = (await desk.sales()).days.at(-1);
    await makeOrder(desk, clock.now());
    await desk.rollUp();
    const after = (await desk.sales()).days.at(-1);
    expect(after).toMatchObject({ day: before?.day, orders: (before?.orders ?? 0) + 1 });
  });

  it('rank best sellers by units kept, per span, for digital and physical products', async () => {
    const { db, clock } = desk.shop.deps;
    const countSales = () => db.transaction().execute((trx) => refreshProductSales(trx, clock.now()));
    const [often, lately] = [await makeProduct(desk.shop.deps, { items: 0 }), await makeProduct(desk.shop.deps)];
    const thing = await makePhysicalProduct(desk.shop.deps, { stock: 4 });
    await makeOrder(desk, daysAgo(desk, 89), { product: often.id, units: 9 });
    await makeOrder(desk, daysAgo(desk, 6), { product: lately.id, units: 3 });
    await makeOrder(desk, daysAgo(desk, 29), { product: lately.id, units: 3 });
    const part = await makeOrder(desk, daysAgo(desk, 2), { product: thing, units: 7, type: 'physical' });
    await makeOrder(desk, daysAgo(desk, 2), { product: often.id, units: 50, state: 'refunded' });
    await refundUnits(desk, part, 5);
    await refundUnits(desk, part, 1, 'pending');
    await countSales();
    const best = async (days: '7' | '30' | '90') =>
      (await desk.sales(days)).bestSellers.map(({ product, units, revenue }) => [product, units, revenue]);
    expect(await best('7')).toEqual([
      [lately.id, 3, 30],
      [thing, 2, 20],
    ]);
    expect(await best('30')).toEqual([
      [lately.id, 6, 60],
      [thing, 2, 20],
    ]);
    expect(await best('90')).toEqual([
      [often.id, 9, 90],
      [lately.id, 6, 60],
      [thing, 2, 20],
    ]);
    await db.deleteFrom('refund_lines').execute();
    await countSales();
    expect(await best('7')).toEqual([
      [thing, 7, 70],
      [lately.id, 3, 30],
    ]);
    expect(
      (await desk.lowStock()).map(({ product, available, soldLast30Days, daysOfCover }) => [
        product,
        available,
        soldLast30Days,
        daysOfCover,
      ]),
    ).toEqual([
      [lately.id, 1, 6, 5],
      [thing, 4, 7, 17.1],
      [often.id, 0, 0, null],
    ]);
  });

  it('count active products with fewer than ten units for sale as low stock', async () => {
    const { deps } = desk.shop;
    const before = (await desk.stats()).lowStockItems;
    await makeProduct(deps, { items: 10 });
    await makeProduct(deps, { items: 1, is_active: false });
    await makePhysicalProduct(desk.shop.deps, { stock: 10 });
    await makePhysicalProduct(desk.shop.deps, { stock: 0, is_active: false });
    const nine = await makeProduct(deps, { items: 11 });
    const two = deps.db.selectFrom('items').select('id').where('product_id', '=', nine.id).limit(2);
    await deps.db.updateTable('items').set({ state: 'voided' }).where('id', 'in', two).execute();
    expect((await desk.stats()).lowStockItems).toBe(before + 1);
    const low = await desk.lowStock();
    expect(low.find(({ product }) => product === nine.id)).toMatchObject({
      available: 9,
      kind: 'digital',
      name: nine.name,
    });
    expect(low).toHaveLength(before + 1);
  });

  it('are based on days that begin at midnight in the time zone of the shop', async () => {
    const { rows } = await sql<{ same: boolean }>`
      SELECT bool_and(shop_day(at) = (at AT TIME ZONE ${SHOP_TIME_ZONE})::date) AS same
      FROM generate_series('2026-01-01'::timestamptz, '2026-01-03', '1 minute') AS at`.execute(desk.shop.deps.db);
    expect(rows).toEqual([{ same: true }]);
  });
});

async function refundUnits(
  { shop: { deps } }: Desk,
  orderId: string,
  quantity: number,
  state: 'done' | 'pending' = 'done',
): Promise<void> {
  const refund = { id: uuidv7(), order_id: orderId, cents: 1, reason: 'Broken', state };
  await deps.db
    .insertInto('refunds')
    .values({ ...refund, created_at: deps.clock.now() })
    .execute();
  const { id } = await deps.db
    .selectFrom('order_lines')
    .select('id')
    .where('order_id', '=', orderId)
    .executeTakeFirstOrThrow();
  await deps.db.insertInto('refund_lines').values({ refund_id: refund.id, order_line_id: id, quantity }).execute();
}
