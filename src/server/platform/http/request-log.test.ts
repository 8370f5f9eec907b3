import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';

interface Line {
  msg: string;
  reqId?: string;
  [field: string]: unknown;
}

async function withShop(settings: Record<string, string>, use: (shop: TestShop) => Promise<void>): Promise<void> {
  const shop = await startTestShop({ settings });
  try {
    await use(shop);
  } finally {
    await shop.stop();
  }
}

const linesOf = ({ logLines }: TestShop, ...messages: string[]) =>
  logLines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => messages.includes(msg));

test('a request is logged with id, route, status, duration and user, but without typed data', () =>
  withShop({ LOG_REQUESTS: '1' }, async (shop) => {
    const user = await makeUser(shop.deps);
    const buyer = createShopper(shop.url);
    await buyer.signIn(user.email, TEST_PASSWORD);
    await buyer.get(`/api/digital-orders/myorders?token=typed-secret`);
    await buyer.get('/api/digital-products/typed-path');
    await fetch(`${shop.url}/typed-name`);
    await fetch(`${shop.url}/healthz`);
    const lines = linesOf(shop, 'request');
    expect(lines).toEqual([
      expect.objectContaining({ method: 'POST', route: '/api/auth/login', status: 200, reqId: expect.any(String) }),
      expect.objectContaining({ route: '/api/digital-orders/myorders', status: 200, userId: user.id }),
      expect.objectContaining({ route: '/api/digital-products/:id', status: 400, ms: expect.any(Number) }),
      expect.objectContaining({ route: 'none', status: 404 }),
    ]);
    const text = shop.logLines.join('\n');
    for (const typed of [user.email, user.name, TEST_PASSWORD, 'typed-']) expect(text).not.toContain(typed);
  }));

test('by default only slow and failed requests are logged, each once', () =>
  withShop({ SLOW_REQUEST_MS: '1' }, async (shop) => {
    await sql`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'by a test'; END $$`.execute(
      shop.deps.db,
    );
    await sql`CREATE TRIGGER fail BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION fail()`.execute(shop.deps.db);
    const user = await makeUser(shop.deps);
    const buyer = createShopper(shop.url);
    expect(await buyer.signIn(user.email, TEST_PASSWORD)).toMatchObject({ status: 500 });
    expect(await buyer.signIn(user.email, 'a wrong password')).toMatchObject({ status: 401 });
    // A request is logged after its response; the probe comes after that.
    await fetch(`${shop.url}/healthz`);
    expect(linesOf(shop, 'request', 'slow request', 'request failed')).toEqual([
      expect.objectContaining({ msg: 'request failed', route: '/api/auth/login', status: 500, ms: expect.any(Number) }),
      expect.objectContaining({ msg: 'slow request', route: '/api/auth/login', status: 401 }),
    ]);
  }));

test('by default a fast request is not logged', () =>
  withShop({}, async (shop) => {
    await createShopper(shop.url).get('/api/shop');
    expect(linesOf(shop, 'request', 'slow request')).toEqual([]);
  }));

test('a slow statement is logged with its text and duration, but without its values', () =>
  withShop({ SLOW_QUERY_MS: '50' }, async (shop) => {
    const typed = 'typed-7164';
    await sql`SELECT ${typed}::text,
      pg_sleep(0.06)`.execute(shop.deps.db);
    expect(linesOf(shop, 'slow statement')).toContainEqual(
      expect.objectContaining({ statement: 'SELECT $1::text, pg_sleep(0.06)', ms: expect.any(Number) }),
    );
    expect(shop.logLines.join('\n')).not.toContain(typed);
  }));
