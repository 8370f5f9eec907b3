import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { type Answer, CARDS, createShopper, intentIdOf, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { removeEndedRows } from '../../features/retention/retention.ts';
import type { UserRow } from '../database/tables.ts';

const settings = { RATE_LIMITS: 'on', TRUST_PROXY: '1' };
const shop = await openTestShop({ settings });
const { databaseUrl = '', dataDir } = shop.deps.config;
/** Another process of the same shop. */
const twin = await openTestShop({ settings: { ...settings, DATABASE_URL: databaseUrl, DATA_DIR: dataDir } });

// The clock stands still until a test moves it.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

let addresses = 0;
function newAddress(): string {
  addresses += 1;
  return `10.0.${addresses >> 8}.${addresses & 255}`;
}
const from = (address = newAddress(), { url } = shop) => createShopper(url, { from: address });

const times = async (count: number, work: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < count; index += 1) await work(index);
};

/** Returns what all processes together have counted for an address under a rule. */
async function countedAt(address: string, rule: string): Promise<number> {
  const { rows } = await sql<{ points: number }>`
    SELECT points FROM (SELECT key, points FROM rate_counts UNION ALL SELECT key, tries FROM rate_waits) AS counted
    WHERE key LIKE ${`${rule}/%`} AND key LIKE ${`%:${address}`}`.execute(shop.deps.db);
  return rows[0]?.points ?? 0;
}
const soon = { timeout: 20_000 };

function expectRefused({ status, headers, body }: Answer, withinSeconds: number): void {
  expect({ status, body }).toMatchObject({
    status: 429,
    body: { success: false, code: 'RATE_LIMITED', message: 'Please wait a moment before trying again' },
  });
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(withinSeconds);
}

describe('the limit of the catalogue', () => {
  const ask = (shopper: Shopper) => shopper.get('/api/digital-products');

  it('allows 300 requests a minute for each call and address', async () => {
    const eager = from();
    const { id } = await makeProduct(shop.deps);
    const paths = ['/digital-products', '/digital-products/categories/list', `/digital-products/${id}`];
    await times(100, async () => {
      const answers = await Promise.all(paths.map((path) => eager.get(`/api${path}`)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
    for (const path of paths) expectRefused(await eager.get(`/api${path}`), 60);
    expect((await ask(from())).status).toBe(200);
    expect((await eager.get('/api/shop')).status).toBe(200);
    pass(MINUTE_MS);
    expect((await ask(eager)).status).toBe(200);
  });

  it('is shared by all processes', async () => {
    const address = newAddress();
    const processes = [from(address), from(address, twin)];
    // Each process allows up to a block of 30 beyond the common 300.
    for (let counted = 60; counted <= 360; counted += 60) {
      await times(30, async () => {
        for (const shopper of processes) expect((await ask(shopper)).status).toBe(200);
      });
      await expect.poll(() => countedAt(address, 'catalogue'), soon).toBe(counted);
    }
    for (const shopper of processes) {
      const asked = Array.from({ length: 30 }, () => ask(shopper));
      expect((await Promise.all(asked)).map(({ status }) => status)).toContain(429);
    }
  });

  it('needs no database access for a shopper who browses', async () => {
    const address = newAddress();
    await times(29, () => ask(from(address)));
    expect(await countedAt(address, 'catalogue')).toBe(0);
  });
});

describe('the limit of failed logins', () => {
  const logIn = (shopper: Shopper, email: string, password = 'not the password') =>
    shopper.post('/api/auth/login', { email, password });
  const rightly = (shopper: Shopper, { email }: UserRow) => logIn(shopper, email, TEST_PASSWORD);

  it('allows ten per account and address in 15 minutes, in all processes together', async () => {
    const [user, other] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    const address = newAddress();
    await times(10, async (index) => {
      const guess = await logIn(from(address, index % 2 ? twin : shop), user.email.toUpperCase());
      expect(guess.status).toBe(401);
    });
    expectRefused(await rightly(from(address), user), 15 * 60);
    expectRefused(await rightly(from(address, twin), user), 15 * 60);
    expect((await rightly(from(address), other)).status).toBe(200);
    expect((await rightly(from(), user)).status).toBe(200);
    pass(15 * MINUTE_MS);
    expect((await rightly(from(address), user)).status).toBe(200);
  });

  it('allows a hundred per address, which then cannot exhaust the limit of an account', async () => {
    const user = await makeUser(shop.deps);
    const guesser = from();
    await times(100, (index) => logIn(guesser, `nobody-${index}@example.com`));
    await times(11, async () => expectRefused(await rightly(guesser, user), 15 * 60));
    expect((await rightly(from(), user)).status).toBe(200);
  });

  it('counts no account for a rejected address, and no address for a rejected account', async () => {
    const address = newAddress();
    await times(110, () => logIn(from(address), 'nobody@example.com'));
    await times(110, (index) => logIn(from(address), `${index}@example.com`));
    const { rows } = await sql`SELECT FROM rate_waits WHERE key LIKE ${`% ${address}`}`.execute(shop.deps.db);
    expect(rows).toHaveLength(1 + 90);
  });

  it('allows a hundred per account from any number of addresses', async () => {
    const [user, other] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    await times(100, () => logIn(from(), user.email));
    const address = newAddress();
    expectRefused(await rightly(from(address), user), 15 * 60);
    expect((await rightly(from(address), other)).status).toBe(200);
  });

  it('does not count successful logins', async () => {
    const user = await makeUser(shop.deps);
    const shopper = from();
    await times(12, async () => expect((await rightly(shopper, user)).status).toBe(200));
  });

  it.each(['failed-login', 'current-password'] as const)(
    'is not reduced in a later window by a success that began earlier: %s',
    async (rule) => {
      const { limits } = shop.deps;
      const address = newAddress();
      const keys = { address, session: address, user: address, account: newAddress() };
      const fail = () => limits.countFailures(rule, keys, async () => false);
      await limits.countFailures(rule, keys, async () => {
        pass(15 * MINUTE_MS);
        await fail();
      });
      expect(await countedAt(address, rule)).toBe(1);
    },
  );

  it('allows at most ten of any number of concurrent guesses', async () => {
    const { email } = await makeUser(shop.deps);
    const guesser = from();
    const answers = await Promise.all(Array.from({ length: 30 }, () => logIn(guesser, email)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });
});

const ABANDON = '/api/digital-orders/guest/checkout/abandon';

describe('the limits of payments', () => {
  let cart: Parameters<Shopper['openPayment']>[0];
  beforeAll(async () => {
    cart = [{ product: await makeProduct(shop.deps, { items: 200 }), quantity: 1 }];
  });
  let guests = 0;
  const newEmail = () => `guest-${++guests}@example.com`;
  const open = (shopper: Shopper, email = newEmail()) => shopper.openPayment(cart, { email });
  /** Opens a payment and abandons it, because unpaid orders that are held at the same time have limits of their own. */
  async function openAndLeave(shopper: Shopper, guest?: { email: string }): Promise<Answer> {
    const opened = await shopper.openPayment(cart, guest);
    const { orderId } = opened.body;
    if (orderId) await shopper.post(ABANDON, { orderId, pageIsClosed: false });
    return opened;
  }

  /** Opens ten payments a minute until the limit of an hour is reached, and expects both limits. */
  async function exhaustLimits(openOne: () => Promise<Answer>): Promise<void> {
    await times(6, async () => {
      await times(10, async () => expect((await openOne()).status).toBe(200));
      expectRefused(await openOne(), 60);
      pass(MINUTE_MS);
    });
    const refused = await openOne();
    expectRefused(refused, 60 * 60);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50 * 60);
  }

  it('allow guests at one address to open ten a minute and 60 an hour, regardless of their emails', async () => {
    const address = newAddress();
    await exhaustLimits(() => openAndLeave(from(address), { email: newEmail() }));
    expect((await open(from())).status).toBe(200);
  });

  it('allow a customer ten a minute and 60 an hour from any addresses, apart from others at the same one', async () => {
    const [user, other] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    const address = newAddress();
    const signedIn = async ({ email }: UserRow, at = newAddress()) => {
      const shopper = from(at);
      await shopper.signIn(email, TEST_PASSWORD);
      return shopper;
    };
    await exhaustLimits(async () => openAndLeave(await signedIn(user)));
    expect((await (await signedIn(other, address)).openPayment(cart)).status).toBe(200);
    expect((await open(from(address), user.email)).status).toBe(200);
  });

  it('do not prevent the completion of a paid order', async () => {
    const address = newAddress();
    const buyer = from(address);
    const guest = { email: newEmail(), password: 'hunter2-hunter2' };
    const { clientSecret = '' } = (await open(buyer, guest.email)).body;
    await buyer.confirmCard(clientSecret);
    await times(9, () => open(from(address)));
    expectRefused(await open(from(address)), 60);
    expect((await buyer.get('/api/digital-orders/guest/checkout')).status).toBe(200);
    expect((await buyer.placeOrder(cart, clientSecret, guest)).status).toBe(201);
  });

  /** Counts the calls to the provider's read of an intent while `work` runs, and what two a second allow. */
  async function countReads(work: () => Promise<unknown>) {
    const retrieve = vi.spyOn(shop.deps.payments, 'retrieveIntent');
    const since = performance.now();
    await work();
    const allowed = 2 + Math.floor((performance.now() - since) / 500);
    const reads = retrieve.mock.calls.length;
    retrieve.mockRestore();
    return { reads, allowed };
  }

  it('allow two reads of the provider a second for any number of status requests, which get the current state', async () => {
    const buyer = from();
    const { clientSecret = '' } = (await open(buyer)).body;
    const readState = async () => (await buyer.get('/api/digital-orders/guest/checkout/payment')).body.data?.['state'];
    expect(await readState()).toBe('open');
    await buyer.confirmCard(clientSecret);
    const { reads, allowed } = await countReads(async () => {
      expect(new Set(await Promise.all(Array.from({ length: 10 }, readState)))).toEqual(new Set(['paid']));
    });
    expect(reads).toBeLessThanOrEqual(allowed);
  });

  it('allow two reads of the provider a second for any number of attempts to complete an unpaid order', async () => {
    const buyer = from();
    const guest = { email: newEmail(), password: 'hunter2-hunter2' };
    const { clientSecret = '' } = (await open(buyer, guest.email)).body;
    const finish = () => buyer.post('/api/digital-orders/guest/checkout', { password: guest.password });
    const place = () => buyer.placeOrder(cart, clientSecret, guest);
    for (const call of [finish, place]) {
      const { reads, allowed } = await countReads(() => times(4, call));
      expect(reads).toBeLessThanOrEqual(allowed);
    }
    expect((await place()).body.code).toBe('PAYMENT_NOT_CONFIRMED');
    await buyer.confirmCard(clientSecret);
    expect((await place()).status).toBe(201);
  });

  it('allow ten repeated reads a second per address, and a new buyer there does not queue behind them', async () => {
    const address = newAddress();
    const buyers = Array.from({ length: 9 }, () => from(address));
    for (const buyer of buyers) expect((await open(buyer)).status).toBe(200);
    const retrieve = vi.spyOn(shop.deps.payments, 'retrieveIntent');
    const since = performance.now();
    const asked = Promise.all(
      buyers.map((buyer) => times(4, () => buyer.get('/api/digital-orders/guest/checkout/payment'))),
    );
    const another = from(address);
    const intentId = intentIdOf((await open(another)).body.clientSecret ?? '');
    await another.get('/api/digital-orders/guest/checkout/payment');
    await asked;
    const read = retrieve.mock.calls.map(([id]) => id);
    const again = read.length - buyers.length - 1;
    expect(again).toBeLessThanOrEqual(1 + (performance.now() - since) / 100);
    expect(again).toBe(27);
    expect(read.indexOf(intentId)).toBeLessThan(read.length - 10);
    retrieve.mockRestore();
  });

  it('cancel the open payment and refuse new ones after 20 declined cards at one address', async () => {
    const address = newAddress();
    const tester = from(address);
    const { clientSecret = '', orderId = '' } = (await open(tester)).body;
    const declines = () => countedAt(address, 'decline');
    await times(19, () => tester.confirmCard(clientSecret, CARDS.declined));
    await expect.poll(declines, soon).toBe(19);
    expect((await open(from(address))).status).toBe(200);

    await tester.confirmCard(clientSecret, CARDS.insufficientFunds);
    await expect.poll(declines, soon).toBe(20);
    expectRefused(await open(from(address)), 10 * 60);
    const stateOf = () =>
      shop.deps.db.selectFrom('orders').select('state').where('id', '=', orderId).executeTakeFirst();
    await expect.poll(stateOf, soon).toEqual({ state: 'cancelled' });
    expect((await tester.confirmCard(clientSecret)).status).toBe(400);

    expect((await open(from())).status).toBe(200);
    pass(10 * MINUTE_MS);
    expect((await open(from(address))).status).toBe(200);
  });
});

it('counts are removed after their window', async () => {
  const address = newAddress();
  await from(address).post('/api/auth/login', { email: 'nobody@example.com', password: 'wrong' });
  await from(address).post('/api/order-lookup/guest', { email: 'nobody@example.com', orderNumber: '00000000' });
  const counted = () => Promise.all(['failed-login', 'order-lookup'].map((rule) => countedAt(address, rule)));
  const forget = async () => {
    for (let more = true; more; ) more = await removeEndedRows(shop.deps.db, shop.deps.clock.now());
  };
  await forget();
  expect(await counted()).toEqual([1, 1]);
  pass(15 * MINUTE_MS + 1);
  await forget();
  expect(await counted()).toEqual([0, 0]);
});

it('a customer can request at most 20 cancellations an hour', async () => {
  const user = await makeUser(shop.deps);
  const buyer = from();
  await buyer.signIn(user.email, TEST_PASSWORD);
  const cancel = () => buyer.post(`/api/orders/mine/${user.id}/cancel`);
  await times(20, async () => expect((await cancel()).status).toBe(404));
  expectRefused(await cancel(), 60 * 60);
});

it('a user can request secrets at most 30 times a minute', async () => {
  const read = (shopper: Shopper) => shopper.get('/api/digital-orders/01900000-0000-7000-8000-000000000000/items');
  const [reader, other] = [from(), from()];
  await reader.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
  await other.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
  await times(30, async () => expect((await read(reader)).status).toBe(404));
  expectRefused(await read(reader), 60);
  expect((await read(other)).status).toBe(404);
});

it('a user can request secrets at most 1,000 times a day', async () => {
  const { id: user } = await makeUser(shop.deps);
  const request = () => shop.deps.limits.count('reveal', { user });
  for (let requests = 0; requests < 1_000; requests += 20) {
    await Promise.all(Array.from({ length: 20 }, request));
    pass(MINUTE_MS);
  }
  await expect(request()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
});

it.each([
  ['order-lookup', 100],
  ['guest-payment', 600],
  ['decline', 200],
  ['failed-login', 1000],
  ['account-mail', 200],
] as const)('the limit of an IPv6 /48 is ten times that of each /64 in it: %s', async (rule, max) => {
  const { limits } = shop.deps;
  const countAt = (address: string) => limits.count(rule, { address, account: address });
  const countAtTwenty = (n: number) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => countAt(`2001:db8:1:${n * 100 + index}::1`)));
  await times(max / 20, countAtTwenty);
  await expect(countAt('2001:db8:1:ffff::1')).rejects.toThrow('Please wait');
  await countAt('2001:db8:2::1');
});

it('an IPv4 address is counted only by itself, without a wider network', async () => {
  const address = newAddress();
  await shop.deps.limits.count('order-lookup', { address });
  const { rows } = await sql`SELECT FROM rate_counts WHERE key LIKE ${`%:${address}`}`.execute(shop.deps.db);
  expect(rows).toHaveLength(1);
});

it('a limit that was used up while the clock was a day ahead is free again when the clock is set right', async () => {
  const [{ limits }, address] = [shop.deps, newAddress()];
  const uses = {
    catalogue: [300, () => limits.countRequest('catalogue', { address })],
    'guest-payment': [10, () => limits.count('guest-payment', { address })],
    'failed-login': [
      10,
      () => limits.countFailures('failed-login', { address, account: 'a@example.com' }, async () => false),
    ],
  } as const;
  const refused = { code: 'RATE_LIMITED' };
  pass(DAY_MS);
  for (const [allowed, use] of Object.values(uses)) {
    await times(allowed, use);
    await expect(use()).rejects.toMatchObject(refused);
  }
  await times(20, () => limits.count('decline', { address }));
  await expect(limits.assertLeft('decline', { address })).rejects.toMatchObject(refused);
  pass(-DAY_MS);
  for (const [, use] of Object.values(uses)) await use();
  await limits.assertLeft('decline', { address });
});
