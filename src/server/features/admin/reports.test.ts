import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertLine, insertOrder, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import { ADJUSTMENTS } from '../../../shared/pricing.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { streamReport } from './reports.ts';

const shop = await openTestShop();
// Stops the numbering of receipts, which would refer to orders that the next test removes.
await shop.deps.db.deleteFrom('receipt_series').execute();
await sql`ALTER TABLE receipts DISABLE TRIGGER USER`.execute(shop.deps.db);
const boss = await makeUser(shop.deps, { role: 'admin' });
const shopper: Shopper = createShopper(shop.url);
const { token } = (await shopper.signIn(boss.email, TEST_PASSWORD)).body;
// Without keep-alive: an idle connection would delay the stop of the shop.
const headers = { authorization: `Bearer ${token}`, connection: 'close' };
const game = await makeProduct(shop.deps, { name: 'Ember, "Reach"' });
// To delete thousands of orders row by row can take longer than the shop's limit of a statement.
beforeEach(() => sql`TRUNCATE orders CASCADE`.execute(shop.deps.db));

const ask = (path: string) => fetch(`${shop.url}/api/admin/reports/${path}`, { headers });
/** The lines without the byte order mark and the final line break. */
const linesOf = async (path: string) =>
  Buffer.from(await (await ask(path)).arrayBuffer())
    .toString()
    .slice(1)
    .split('\r\n')
    .slice(0, -1);
async function statusOf(path: string): Promise<number> {
  const answer = await ask(path);
  await answer.arrayBuffer();
  return answer.status;
}
/** The fields of lines that have no quotes. */
const fieldsOf = async (path: string) => (await linesOf(path)).map((line) => line.split(','));
/** The fields of these columns, for each line. */
async function columnsOf(path: string, columns: string[]) {
  const [head = [], ...rows] = await fieldsOf(path);
  return rows.map((row) => columns.map((column) => row[head.indexOf(column)]));
}

/** An order of two units at $10.00, paid at a moment. */
async function makeOrder(
  paidAt: string,
  overrides: Partial<OrderRow> = {},
  { name = game.name, quantity = 2 } = {},
): Promise<{ id: string; lineId: string }> {
  const amounts = { items_cents: 2000, tax_cents: 120, total_cents: 2120 };
  const id = await insertOrder(shop.deps.db, new Date(paidAt), { guest_name: 'Aminah', ...amounts, ...overrides });
  return { id, lineId: await insertLine(shop.deps.db, { order_id: id, product_id: game.id, name, quantity }) };
}

describe('a report', () => {
  it('is a named CSV file with a byte order mark and a header, and is recorded in the audit log', async () => {
    const response = await ask('orders?from=2026-03-01&to=2026-03-31');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="orders-from-2026-03-01-to-2026-03-31.csv"',
      'cache-control': 'no-store',
    });
    const adjustments = ADJUSTMENTS.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(
      `\uFEFFPaid at (GMT+8),Order number,Order ID,Type,Payment,Customer,Email,Units,Items,${adjustments},Gross,Refunded,Net,Payment ID\r\n`,
    );
    const log = shop.deps.db.selectFrom('audit_log').select(['actor', 'action', 'subject_id', 'summary']);
    expect(await log.orderBy('id', 'desc').limit(1).execute()).toEqual([
      {
        actor: boss.email,
        action: 'report.generated',
        subject_id: 'orders',
        summary: 'Report of orders from 2026-03-01 to 2026-03-31',
      },
    ]);
  });

  it('begins and ends its days at midnight in the time zone of the shop', async () => {
    const day = { before: '2026-03-09T15:59:59.999Z', first: '2026-03-09T16:00:00Z' };
    await makeOrder(day.before);
    const first = await makeOrder(day.first);
    const last = await makeOrder('2026-03-10T15:59:59.999Z');
    await makeOrder('2026-03-10T16:00:00Z');
    const rows = (await fieldsOf('orders?from=2026-03-10&to=2026-03-10')).slice(1);
    expect(rows.map(([paid, , id]) => [paid, id])).toEqual([
      ['2026-03-10 00:00:00', first.id],
      ['2026-03-10 23:59:59', last.id],
    ]);
    expect((await fieldsOf('tax')).slice(1).map(([on, orders]) => [on, orders])).toEqual([
      ['2026-03-09', '1'],
      ['2026-03-10', '2'],
      ['2026-03-11', '1'],
    ]);
  });

  it.each(['=cmd|calc', '+1+1', '-2+3', '@SUM(A1)', '\t=1', '＝1'])(
    'escapes a value that begins like the formula %j',
    async (name) => {
      await makeOrder('2026-03-10T00:00:00Z', { guest_name: name, contact_email: `${name}@example.com` });
      const [, row] = await fieldsOf('orders');
      expect([row?.[5], row?.[6]]).toEqual([`'${name}`, `'${name}@example.com`]);
    },
  );

  it('escapes a formula after another cell separator', async () => {
    await makeOrder('2026-03-10T00:00:00Z', { guest_name: ';=1+1;-2 b\t@SUM(A1) c| ＝1 d; e-f' });
    const [, row] = await fieldsOf('orders');
    expect(row?.[5]).toBe(";'=1+1;'-2 b\t'@SUM(A1) c| '＝1 d; e-f");
  });

  // In the middle of a cell a quote is a character, and before a formula it opens and closes an empty text.
  it('escapes a formula after another cell separator and a quote', async () => {
    await makeOrder('2026-03-10T00:00:00Z', { guest_name: 'Mei;"=1+1 b\t "-2 c| " @SUM(A1)' });
    const [, row] = await fieldsOf('orders');
    expect(row?.[5]).toBe(`"Mei;""'=1+1 b\t ""'-2 c| "" '@SUM(A1)"`);
  });

  it('keeps commas, quotes and line breaks inside a field', async () => {
    await makeOrder('2026-03-10T00:00:00Z', { guest_name: 'Tan, "Mei"\r\n=1+1' });
    expect((await linesOf('orders')).slice(1).join('\r\n')).toContain(
      ',Paid,"Tan, ""Mei""\r\n=1+1",buyer@example.com,2,',
    );
    expect((await linesOf('sales'))[1]).toMatch(/^"Ember, ""Reach""",/);
  });

  it('separates gross, refunded and net amounts, for full and partial refunds', async () => {
    await makeOrder('2026-03-10T01:00:00Z');
    await makeOrder('2026-03-10T02:00:00Z', { state: 'refunded', refunded_cents: 2120, refunded_at: new Date() });
    await makeOrder('2026-03-10T03:00:00Z', { state: 'refunding' });
    const part = await makeOrder('2026-03-10T04:00:00Z', { refunded_cents: 1060 });
    const [refundId, at] = [uuidv7(), new Date()];
    const refund = { id: refundId, order_id: part.id, cents: 1060, reason: 'Faulty', user_id: boss.id };
    await shop.deps.db
      .insertInto('refunds')
      .values({ ...refund, state: 'done', created_at: at })
      .execute();
    await shop.deps.db
      .insertInto('refund_lines')
      .values({ refund_id: refundId, order_line_id: part.lineId, quantity: 1 })
      .execute();
    await makeOrder('2026-03-10T05:00:00Z', { state: 'disputed' });
    await makeOrder('2026-03-10T06:00:00Z', { state: 'cancelled', cancel_reason: 'abandoned', paid_at: null });

    const amounts = ['Units', 'Items', 'Shipping', 'Tax', 'Gross', 'Refunded', 'Net'];
    expect(await columnsOf('orders', ['Payment', ...amounts])).toEqual([
      ['Paid', '2', '20.00', '0.00', '1.20', '21.20', '0.00', '21.20'],
      ['Refunded', '2', '20.00', '0.00', '1.20', '21.20', '21.20', '0.00'],
      ['Refunding', '2', '20.00', '0.00', '1.20', '21.20', '21.20', '0.00'],
      ['Partly refunded', '2', '20.00', '0.00', '1.20', '21.20', '10.60', '10.60'],
      ['Disputed', '2', '20.00', '0.00', '1.20', '21.20', '21.20', '0.00'],
    ]);
    expect((await columnsOf('orders', ['Order number']))[3]).toEqual([orderNumber(part.id)]);
    expect((await linesOf('sales')).slice(1)).toEqual([
      `"Ember, ""Reach""",${game.id},Digital,10,7,100.00,70.00,30.00`,
    ]);
    expect((await fieldsOf('tax')).slice(1)).toEqual([
      ['2026-03-10', '5', '100.00', '6.00', '106.00', '74.20', '4.20', '30.00', '1.80'],
    ]);
  });

  it('counts a refund of units once it is done, the same in all reports', async () => {
    const { id: order_id, lineId: order_line_id } = await makeOrder('2026-03-10T01:00:00Z');
    const refund = { id: uuidv7(), order_id, cents: 1060, reason: 'Faulty', user_id: boss.id, created_at: new Date() };
    const { db } = shop.deps;
    await db
      .insertInto('refunds')
      .values({ ...refund, state: 'pending' })
      .execute();
    await db.insertInto('refund_lines').values({ refund_id: refund.id, order_line_id, quantity: 1 }).execute();
    const refunded = async () => [
      ...(await columnsOf('orders', ['Refunded'])).flat(),
      (await linesOf('sales'))[1]?.split(',').slice(-4, -1).join(' '),
      ...(await fieldsOf('tax')).slice(1).map((row) => row.slice(5, 7).join(' ')),
    ];
    const followed = async (state: 'pending' | 'done' | 'failed', refunded_cents: number) => {
      await db.updateTable('refunds').set({ state, provider_id: 're_1' }).where('id', '=', refund.id).execute();
      await db.updateTable('orders').set({ refunded_cents }).where('id', '=', order_id).execute();
      return refunded();
    };
    const nothing = ['0.00', '0 20.00 0.00', '0.00 0.00'];
    expect(await followed('pending', 0)).toEqual(nothing);
    expect(await followed('done', 1060)).toEqual(['10.60', '1 20.00 10.00', '10.60 0.60']);
    expect(await followed('failed', 0)).toEqual(nothing);
  });

  it('counts the tax of refunded units as their credit note does, with shipping and a refunded amount', async () => {
    const totals = { shipping_cents: 2000, total_cents: 4120, refunded_cents: 2060 };
    const { id: order_id, lineId: order_line_id } = await makeOrder('2026-03-10T01:00:00Z', totals);
    const given = { order_id, reason: 'Faulty', user_id: boss.id, state: 'done' as const, created_at: new Date() };
    const [units, amount] = [uuidv7(), uuidv7()];
    const { db } = shop.deps;
    await db
      .insertInto('refunds')
      .values([
        { ...given, id: units, cents: 1060, is_amount: false },
        { ...given, id: amount, cents: 1000, is_amount: true },
      ])
      .execute();
    await db.insertInto('refund_lines').values({ refund_id: units, order_line_id, quantity: 1 }).execute();
    // The tax of the unit, 0.60, and of the amount 0.60 * 10.00 / 30.60.
    const refundedTax = () => columnsOf('tax', ['Refunded', 'Refunded tax', 'Net tax']);
    expect(await refundedTax()).toEqual([['20.60', '0.80', '0.40']]);
    await db.updateTable('refunds').set({ cents: 3060 }).where('id', '=', amount).execute();
    await db.updateTable('orders').set({ refunded_cents: 4120 }).where('id', '=', order_id).execute();
    expect(await refundedTax()).toEqual([['41.20', '1.20', '0.00']]);
  });

  it('sums a product over its days, under its latest name', async () => {
    await makeOrder('2026-03-10T00:00:00Z', {}, { name: 'Old name' });
    await makeOrder('2026-03-12T00:00:00Z', {}, { name: 'New name' });
    expect((await fieldsOf('sales')).slice(1)).toEqual([
      ['New name', game.id, 'Digital', '4', '0', '40.00', '0.00', '40.00'],
    ]);
  });

  it('lists a digital product of a mixed order as digital', async () => {
    await makeOrder('2026-03-10T00:00:00Z', { type: 'physical' }, { name: 'Reach' });
    expect(await columnsOf('sales', ['Type'])).toEqual([['Digital']]);
  });

  it('rejects an invalid date, a reversed range and an unknown report', async () => {
    const backwards = 'orders?from=2026-03-02&to=2026-03-01';
    for (const path of ['orders?from=2026-02-30', 'orders?from=yesterday', backwards, 'secrets']) {
      expect(await statusOf(path)).toBe(400);
    }
  });

  it('is answered with an error, and not with a file, when it cannot be read', async () => {
    await sql`ALTER TABLE orders RENAME TO orders_away`.execute(shop.deps.db);
    const response = await ask('orders').finally(() =>
      sql`ALTER TABLE orders_away RENAME TO orders`.execute(shop.deps.db),
    );
    expect(response.headers.get('content-disposition')).toBeNull();
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'INTERNAL' }]);
  });
});

describe('a long report', () => {
  /** Orders of half a kilobyte; groups of thirty are paid at the same time. */
  const makeOrders = (count: number) =>
    sql`INSERT INTO orders (id, type, state, contact_email, guest, guest_name, items_cents, tax_cents, total_cents,
          payment_intent_id, created_at, hold_expires_at, paid_at, fulfilled_at)
        SELECT gen_random_uuid(), 'digital', 'fulfilled', 'buyer@example.com', true, repeat('x', 500), 1000, 60, 1060,
          'pi_long_' || n, at, at, at, at
        FROM generate_series(1, ${count}::integer) AS n, LATERAL (SELECT timestamptz '2026-01-01 00:00+08' + n / 30 * interval '1 minute' AS at) AS minute
    `.execute(shop.deps.db);

  it('has every order once, in chunks of bounded size, even if many have the same payment time', async () => {
    await makeOrders(12_000);
    const seen = new Set<string>();
    let [lines, largest] = [0, 0];
    for await (const piece of streamReport(shop.deps.db, { kind: 'orders' })) {
      largest = Math.max(largest, (piece as Buffer).length);
      for (const line of String(piece).split('\r\n').slice(0, -1)) {
        lines += 1;
        seen.add(line.split(',')[2] ?? '');
      }
    }
    expect([lines, seen.size]).toEqual([12_001, 12_001]);
    expect(largest).toBeLessThan(2_000_000);
  });

  async function makeOrdersThatFailMidway() {
    await makeOrders(2_500);
    const last = await makeOrder('2026-12-31T00:00:00Z', {}, { quantity: 2_147_483_647 });
    const another = { id: uuidv7(), position: 1 };
    // The sum of these units exceeds a PostgreSQL integer.
    await sql`INSERT INTO order_lines (id, order_id, position, product_id, name, image, quantity, unit_price_cents, delivery_instructions, warranty_days)
      SELECT ${another.id}::uuid, order_id, ${another.position}::integer, product_id, name, image, quantity, 0, '', 0
      FROM order_lines WHERE order_id = ${last.id}::uuid`.execute(shop.deps.db);
  }

  it('aborts on an error midway, instead of ending as if it were complete', async () => {
    await makeOrdersThatFailMidway();
    const response = await ask('orders');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('aborts it also for a proxy that speaks HTTP/1.0, where a closed connection ends a complete file', async () => {
    await makeOrdersThatFailMidway();
    const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
    socket.write(`GET /api/admin/reports/orders HTTP/1.0\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await expect(text(socket)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is one of at most two concurrent ones, and frees its slot when the reader disconnects', async () => {
    await makeOrders(12_000);
    const leave = new AbortController();
    const open = () => fetch(`${shop.url}/api/admin/reports/orders`, { headers, signal: leave.signal });
    const reading = await Promise.all([open(), open()]);
    expect(reading.map(({ status }) => status)).toEqual([200, 200]);
    const third = await ask('tax');
    expect([third.status, await third.json()]).toMatchObject([503, { code: 'BUSY' }]);
    leave.abort();
    await expect.poll(() => statusOf('tax'), { interval: 20 }).toBe(200);
  });

  it.each([
    ['is logged out', (administrator: Shopper) => administrator.post('/api/auth/logout')],
    ['expires', async () => shop.pass(8 * HOUR_MS)],
  ])('ends when the session of its administrator %s', async (_, end) => {
    // More than the connection buffers before the session ends.
    await makeOrders(24_000);
    const isCutOff = (response: Response) =>
      response.text().then(
        () => false,
        () => true,
      );
    const other = createShopper(shop.url);
    const { token: otherToken } = (await other.signIn(boss.email, TEST_PASSWORD)).body;
    const authorization = `Bearer ${otherToken}`;
    const response = await fetch(`${shop.url}/api/admin/reports/orders`, { headers: { ...headers, authorization } });
    expect(response.status).toBe(200);
    await end(other);
    expect(await isCutOff(response)).toBe(true);
  });
});
