import { once } from 'node:events';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { makeProduct } from '../factories.ts';
import { createShopper, intentIdOf } from '../shopper.ts';
import { startSilentDatabaseProxy } from '../silent-proxy.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';
import { openProviderDesk } from './provider-desk.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop({ deliverTestWebhooks: false });
});
afterAll(() => shop.stop());
beforeEach(() => {
  shop.logLines.length = 0;
});
afterEach(() => letSucceed());

/** Makes the next `times` inserts into the table fail with the SQLSTATE. */
async function failInserts(table: string, code: string, times = 1_000): Promise<void> {
  const { db } = shop.deps;
  await sql.raw(`CREATE SEQUENCE failures`).execute(db);
  await sql
    .raw(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('failures') <= ${times} THEN RAISE EXCEPTION 'made by a test' USING ERRCODE = '${code}'; END IF;
         RETURN NEW;
       END $$`,
    )
    .execute(db);
  await sql.raw(`CREATE TRIGGER fail BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail()`).execute(db);
}

async function letSucceed(): Promise<void> {
  await sql`DROP FUNCTION IF EXISTS fail() CASCADE`.execute(shop.deps.db);
  await sql`DROP SEQUENCE IF EXISTS failures`.execute(shop.deps.db);
}

async function newBuyer(email: string) {
  const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
  const buyer = createShopper(shop.url);
  return { open: () => buyer.openPayment(cart, { email }) };
}

const logged = () => shop.logLines.map((line) => JSON.parse(line));

test.each([
  ['57014', 'a statement timeout'],
  ['53100', 'a full disk'],
  ['53200', 'out of memory'],
  ['53300', 'too many connections'],
  ['25006', 'a failover to a read-only server'],
  ['57P03', 'a server that is starting'],
  ['08006', 'a lost connection'],
  ['40P01', 'repeated deadlocks'],
])('%s (%s) is answered with 503, Retry-After and one log line, and the call can be repeated', async (code) => {
  const buyer = await newBuyer(`passing-${code}@example.com`);
  await failInserts('orders', code);
  const refused = await buyer.open();
  expect(refused).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(logged()).toEqual([
    expect.objectContaining({ level: 40, code: 'DATABASE_UNAVAILABLE', reason: 'made by a test' }),
  ]);
  expect(logged()[0]).not.toHaveProperty('err');
  await letSucceed();
  expect(await buyer.open()).toMatchObject({ status: 200 });
});

test.each(['40P01', '40001'])(
  'a transaction conflict (%s) is retried internally, without an error for the caller',
  async (code) => {
    const buyer = await newBuyer(`conflict-${code}@example.com`);
    await failInserts('orders', code, 1);
    expect(await buyer.open()).toMatchObject({ status: 200 });
    expect(logged()).toEqual([]);
  },
);

test('a conflict of a statement outside a transaction is retried, too', async () => {
  await failInserts('shop_facts', '40P01', 1);
  const insert = shop.deps.db.insertInto('shop_facts').values({ name: 'alone', value: 'once' });
  await insert.execute();
  const facts = shop.deps.db.selectFrom('shop_facts').select('value').where('name', '=', 'alone');
  expect(await facts.execute()).toEqual([{ value: 'once' }]);
});

test('pressing Pay again continues the order whose commit was not answered', async () => {
  const database = await createTestDatabase();
  await using proxy = await startSilentDatabaseProxy(database.connectionString);
  const { connectionString } = proxy;
  const behindProxy = await startTestShop({ database: { connectionString, drop: database.drop } });
  onTestFinished(() => behindProxy.stop());
  const cart = [{ product: await makeProduct(behindProxy.deps, { items: 1 }), quantity: 1 }];
  const buyer = createShopper(behindProxy.url);
  const guest = { email: 'unanswered@example.com' };

  proxy.loseAnswerTo('commit');
  expect(await buyer.openPayment(cart, guest)).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
  const orders = behindProxy.deps.db.selectFrom('orders').select(['id', 'state']);
  const [written] = await orders.execute();
  expect(written?.state).toBe('pending');
  expect(await buyer.buy(cart, guest)).toMatchObject({ orderId: written?.id, placed: { status: 201 } });
  expect(await orders.execute()).toEqual([{ id: written?.id, state: 'fulfilled' }]);
});

test('an internal error is logged with its stack and answered with 500', async () => {
  const buyer = await newBuyer('fault@example.com');
  await failInserts('orders', '22012');
  expect(await buyer.open()).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
  expect(logged()).toEqual([
    expect.objectContaining({ level: 50, err: expect.objectContaining({ stack: expect.any(String) }) }),
  ]);
});

test('a webhook is answered with 5xx while the database fails, so that the provider retries it', async () => {
  const desk = await openProviderDesk(shop.deps.db);
  const { body } = await (await newBuyer('webhook@example.com')).open();
  const event = desk.writeEvent('payment_intent.canceled', intentIdOf(body.clientSecret ?? ''));
  await failInserts('webhook_events', '57P01');
  expect(await desk.deliver(shop.url, event)).toBe(503);
  await letSucceed();
  expect(await desk.deliver(shop.url, event)).toBe(200);
});

test('an upload aborted by its sender is not logged', async () => {
  const { hostname, port } = new URL(shop.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 100000\r\n\r\n{"email":`);
  // The shop has begun to read the body once it answers another call that was sent after the head.
  await createShopper(shop.url).get('/api/shop');
  socket.resetAndDestroy();
  const buyer = await newBuyer('after-the-upload@example.com');
  await failInserts('orders', '53100');
  expect(await buyer.open()).toMatchObject({ status: 503 });
  expect(logged()).toEqual([expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' })]);
});
