import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import { makeDemoData } from '../../demo/make-demo-data.ts';
import { searchOrders } from './list-orders.queries.ts';

// The orders of the demo, with at least one of every kind.
const shop = await openTestShop();
await makeDemoData({ ...shop.deps, testMode: true });
const { db } = shop.deps;
const changed = (set: string, where: string) =>
  sql.raw(`UPDATE orders SET ${set} WHERE id IN (SELECT id FROM orders WHERE ${where} LIMIT 2)`).execute(db);
await changed("state = 'disputed', disputed_at = now()", "type = 'digital' AND state = 'fulfilled'");
await changed("state = 'refunding', refund_reason = 'Faulty'", "type = 'digital' AND state = 'fulfilled'");
await changed(
  "state = 'pending', cancel_reason = NULL, cancelled_at = NULL, sweep_at = now() + interval '1 day'",
  "cancel_reason = 'abandoned'",
);
await changed(
  "state = 'refunded', refund_reason = 'Broken', refunded_at = now()",
  "type = 'physical' AND state = 'fulfilled'",
);
await changed('delivered_at = NULL', "state = 'fulfilled' AND delivered_at IS NOT NULL");
await changed('delivered_at = NULL, shipped_at = NULL', "state = 'fulfilled' AND delivered_at IS NOT NULL");
const desk = await openAdminOrders(shop);

const typesOf = { digital: ['digital'], physical: ['physical'], both: ['digital', 'physical'] };

describe.each(['digital', 'physical', 'both'] as const)('the list of orders: %s', (type) => {
  async function whole(query: Record<string, string> = {}) {
    const orders = [];
    let cursor: string | null = null;
    do {
      const page = await desk.list(type, { limit: '50', ...query, ...(cursor !== null && { cursor }) });
      orders.push(...page.data);
      expect(page.total).toBeGreaterThanOrEqual(page.data.length);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return orders;
  }

  it('has every order except abandoned carts, newest first, for any page size', async () => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM orders WHERE type = ANY (${typesOf[type]}) AND cancel_reason IS DISTINCT FROM 'abandoned'
      ORDER BY created_at DESC, id DESC`.execute(shop.deps.db);
    expect((await whole()).map(({ _id }) => _id)).toEqual(rows.map(({ id }) => id));
    expect((await desk.list(type)).total).toBe(rows.length);
  });

  it('has no orders of another type', async () => {
    const types = new Set((await whole()).map(({ orderType }) => orderType));
    expect([...types].sort()).toEqual(typesOf[type]);
  });

  it('filtered by a status, has exactly the orders that show it', async () => {
    const orders = await whole();
    for (const status of ['Processing', 'Shipped', 'Delivered', 'Cancelled'] satisfies OrderStatus[]) {
      const found = await whole({ status });
      expect(found).toEqual(orders.filter((order) => order.status === status));
      if (type !== 'digital' || status !== 'Shipped') expect(found).not.toEqual([]);
    }
  });

  it('is searched by number, name and email, also within a status', async () => {
    const orders = await whole();
    const order = orders.find(({ user }) => user !== null);
    if (!order?.user) throw new Error('Nobody bought anything');
    expect((await desk.list(type, { q: `#${order._id.slice(-8).toUpperCase()}` })).data).toEqual([order]);
    expect((await desk.list(type, { q: order._id })).data).toEqual([order]);
    for (const q of [
      order.contactEmail.slice(2, 9).toUpperCase(),
      order.user.name.slice(0, 5),
      order.contactEmail.toUpperCase(),
      order.contactEmail.slice(1, order.contactEmail.indexOf('@') + 3),
      order.contactEmail.replace('@', '@elsewhere.'),
      '.test',
      'zq_%',
    ]) {
      const matching = orders.filter((one) =>
        [one.contactEmail, one.guestName, one.user?.name, one.user?.email].some((text) =>
          text?.toLowerCase().includes(q.toLowerCase()),
        ),
      );
      expect(await whole({ q })).toEqual(matching);
      expect((await desk.list(type, { q })).total).toBe(matching.length);
      const delivered = matching.filter(({ status }) => status === 'Delivered');
      expect(await whole({ q, status: 'Delivered' })).toEqual(delivered);

      // A small limit simulates a shop with more orders than a search reads one by one.
      const filter = { type: type === 'both' ? undefined : type, limit: 20 };
      const found = await searchOrders(shop.deps.db, filter, q, 5);
      expect(found.ids).toEqual(matching.slice(0, 21).map(({ _id }) => _id));
      if (found.hasUncounted) expect(found.total).toBeLessThanOrEqual(5);
      else expect(found.total).toBe(matching.length);
    }
  });

  it('filters by days in the time zone of the shop', async () => {
    const day = (order: { createdAt: string }) =>
      new Date(Date.parse(order.createdAt) + 8 * 3_600_000).toISOString().slice(0, 10);
    const orders = await whole();
    const days = orders.slice(3, 9).map(day);
    const [to = '', from = ''] = [days.at(0), days.at(-1)];
    expect(await whole({ from, to })).toEqual(orders.filter((order) => day(order) >= from && day(order) <= to));
    expect((await desk.list(type, { to: '2001-01-01' })).data).toEqual([]);
  });
});
