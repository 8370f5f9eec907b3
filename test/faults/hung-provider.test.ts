import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from '../../src/server/features/books/check-books.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import type { Payments } from '../../src/server/platform/payments/payments.ts';
import { AppError } from '../../src/shared/errors.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { countWaiting } from '../locks.ts';
import { type CartEntry, createShopper, type Shopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

// This length tells the shop's timer from all others. It ends when a test says so, however slow the machine is.
const BUYER_WAIT_MS = 86_413_579;
const soon = { timeout: 20_000 };

const notCharged = {
  status: 503,
  body: {
    code: 'PAYMENT_PROVIDER_UNAVAILABLE',
    message: 'The payment service does not answer. Your card was not charged. Please try again in a minute.',
  },
};
const willBeFinished = {
  status: 503,
  body: {
    code: 'PAYMENT_PROVIDER_UNAVAILABLE',
    message: 'Your payment is safe. We are finishing your order and will email you within a few minutes.',
  },
};

const { setTimeout: realTimeout } = globalThis;
/** Callbacks that end the waiting of the buyers. */
const ends: (() => void)[] = [];
function holdPatience(): void {
  globalThis.setTimeout = new Proxy(realTimeout, {
    apply: (target, self, [callback, ms, ...rest]) => {
      if (ms === BUYER_WAIT_MS) ends.push(callback);
      return Reflect.apply(target, self, [callback, ms, ...rest]);
    },
  });
}

let shop: TestShop;
let outside: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  holdPatience();
  shop = await startTestShop({ buyerWaitMs: BUYER_WAIT_MS });
  outside = openDatabase(shop.deps.config.databaseUrl ?? '', { maxConnections: 1 });
});
afterAll(async () => {
  globalThis.setTimeout = realTimeout;
  await outside.destroy();
  await shop.stop();
});

/** Lets the provider take every call and answer none, by locking its table. */
let answerAgain: () => Promise<void> = async () => undefined;
async function hangProvider(): Promise<void> {
  const lock = await outside.startTransaction().execute();
  await sql`LOCK TABLE test_mode_intents IN ACCESS EXCLUSIVE MODE`.execute(lock);
  answerAgain = async () => {
    answerAgain = async () => undefined;
    await lock.rollback().execute();
  };
}
afterEach(() => answerAgain());

/** Ends the buyer's waiting once the call hangs on a lock; returns the answer to the buyer. */
async function outlasted<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  ends.length = 0;
  const answer = call();
  const isHanging = async () => ends.length > 0 && (await countWaiting(shop.deps.db)) > 0;
  await expect.poll(isHanging, soon).toBe(true);
  for (const end of ends) end();
  return answer;
}

let guests = 0;
function newGuest() {
  guests += 1;
  return { email: `hung-${guests}@example.com`, password: 'hunter2-hunter2' };
}
const newCart = async (): Promise<CartEntry[]> => [
  { product: await makeProduct(shop.deps, { items: 2 }), quantity: 1 },
];
const orderOf = (id: string) =>
  shop.deps.db.selectFrom('orders').select(['state']).where('id', '=', id).executeTakeFirst();

async function authorised(browser: Shopper, cart: CartEntry[], guest?: { email: string }) {
  const { orderId = '', clientSecret = '' } = (await browser.openPayment(cart, guest)).body;
  expect((await browser.confirmCard(clientSecret)).status).toBe(200);
  return { orderId, clientSecret };
}

describe('a provider that hangs', () => {
  it('before the card is confirmed: the response says that the card was not charged, and the buyer can pay later', async () => {
    const [browser, cart, guest] = [createShopper(shop.url), await newCart(), newGuest()];
    await hangProvider();
    expect(await outlasted(() => browser.openPayment(cart, guest))).toMatchObject(notCharged);
    await answerAgain();
    const { clientSecret } = await authorised(browser, cart, guest);
    expect((await browser.placeOrder(cart, clientSecret, guest)).status).toBe(201);
  });

  it.each(['guest', 'customer'])(
    'after a %s has confirmed the card: the response promises to finish the order, which is then delivered',
    async (kind) => {
      const [browser, cart] = [createShopper(shop.url), await newCart()];
      const guest = kind === 'guest' ? newGuest() : undefined;
      if (!guest) await browser.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
      const { orderId, clientSecret } = await authorised(browser, cart, guest);
      await hangProvider();
      const answers = [
        await outlasted(() => browser.placeOrder(cart, clientSecret, guest)),
        await outlasted(() => browser.placeOrder(cart, clientSecret, guest)),
      ];
      for (const answer of answers) expect(answer).toMatchObject(willBeFinished);
      if (guest) {
        const finished = await outlasted(() => browser.post('/api/digital-orders/guest/checkout', guest));
        expect(finished).toMatchObject(willBeFinished);
      }
      await answerAgain();
      await expect.poll(() => orderOf(orderId), soon).toEqual({ state: 'fulfilled' });
      expect((await browser.placeOrder(cart, clientSecret, guest)).status).toBe(201);
    },
  );

  it('while the page reads its payment state: the response says that the payment is safe', async () => {
    const [browser, cart, guest] = [createShopper(shop.url), await newCart(), newGuest()];
    await authorised(browser, cart, guest);
    await hangProvider();
    expect(await outlasted(() => browser.get('/api/digital-orders/guest/checkout'))).toMatchObject({
      status: 503,
      body: { code: 'PAYMENT_PROVIDER_UNAVAILABLE', message: expect.stringContaining('is safe') },
    });
  });

  it('while an earlier order is cancelled: no new order is created after the timeout', async () => {
    const [browser, cart, guest] = [createShopper(shop.url), await newCart(), newGuest()];
    const { orderId = '' } = (await browser.openPayment(cart, guest)).body;
    await hangProvider();
    const another = await newCart();
    expect(await outlasted(() => browser.openPayment(another, guest))).toMatchObject(notCharged);
    await answerAgain();
    await expect.poll(() => orderOf(orderId), soon).toEqual({ state: 'cancelled' });
    // Give the shop time for whatever it still does for the first call.
    await authorised(createShopper(shop.url), await newCart(), newGuest());
    const orders = shop.deps.db.selectFrom('orders').select('id').where('contact_email', '=', guest.email);
    expect(await orders.execute()).toEqual([{ id: orderId }]);
  });
});

it('an order that the database writes after the buyer’s timeout is cancelled, and the log does not blame the provider', async () => {
  const [browser, cart, guest] = [createShopper(shop.url), await newCart(), newGuest()];
  const lock = await outside.startTransaction().execute();
  await sql`LOCK TABLE order_lines IN SHARE MODE`.execute(lock);
  expect(await outlasted(() => browser.openPayment(cart, guest))).toMatchObject(notCharged);
  expect(browser.cookies.has('checkout')).toBe(false);
  const line = shop.logLines.findLast((one) => one.includes('request turned away')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ reason: `the call took longer than ${BUYER_WAIT_MS} ms` });
  await lock.rollback().execute();
  const orders = shop.deps.db.selectFrom('orders').select('state').where('contact_email', '=', guest.email);
  await expect.poll(() => orders.execute(), soon).toEqual([{ state: 'cancelled' }]);
});

it('verify fails with the provider’s error, and reports no order, if the provider is unavailable', async () => {
  const [browser, cart, guest] = [createShopper(shop.url), await newCart(), newGuest()];
  await browser.buy(cart, guest);
  const payments: Payments = {
    ...shop.deps.payments,
    // The order was paid after its payments were listed.
    listIntents: async function* () {
      yield* [];
    },
    retrieveIntent: () => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away')),
  };
  await expect(checkBooks({ ...shop.deps, payments }, { patienceMs: 500 })).rejects.toThrow('The provider is away');
});

it('the default timeout for a buyer is 12 seconds', async () => {
  const untouched = await startTestShop();
  try {
    expect(untouched.deps.buyerWaitMs).toBe(12_000);
  } finally {
    await untouched.stop();
  }
});
