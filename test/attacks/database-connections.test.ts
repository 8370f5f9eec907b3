import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { lockUser } from '../../src/server/features/accounts/accounts.queries.ts';
import { lockProductsById } from '../../src/server/features/catalog/products.queries.ts';
import type { Transaction } from '../../src/server/platform/database/database.ts';
import { makeProduct } from '../factories.ts';
import { countWaiting } from '../locks.ts';
import { type Answer, createShopper } from '../shopper.ts';
import { signedInUser } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';

const shop = await openTestShop({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } });

interface Flood {
  /** Locks the rows for which the calls wait. */
  lock(trx: Transaction): Promise<unknown>;
  /** More calls than a process has connections to the database. */
  calls: (() => Promise<Answer>)[];
}

async function changeCarts(): Promise<Flood> {
  const { id } = await makeProduct(shop.deps);
  const users = await Promise.all(Array.from({ length: 5 }, () => signedInUser(shop)));
  return {
    lock: async (trx) => {
      for (const { user } of users) await lockUser(trx, user.id);
    },
    calls: users.flatMap(({ browser }) =>
      Array.from({ length: 10 }, () => () => browser.send('PUT', `/api/users/cart/${id}`, { quantity: 1 })),
    ),
  };
}

async function guessPasswords(): Promise<Flood> {
  const logIn = () => createShopper(shop.url, { from: '203.0.113.1' }).signIn('nobody@example.com', 'wrong');
  await logIn();
  return {
    lock: (trx) => sql`SELECT FROM rate_waits FOR UPDATE`.execute(trx),
    calls: Array.from({ length: 40 }, () => logIn),
  };
}

async function openPayments(): Promise<Flood> {
  const product = await makeProduct(shop.deps, { items: 0, delivery: 'manual', stock: 100 });
  const open = (guest: number) => {
    const browser = createShopper(shop.url, { from: `198.51.100.${guest}` });
    return browser.openPayment([{ product, quantity: 1 }], { email: `opens-${guest}@example.com` });
  };
  return {
    lock: (trx) => lockProductsById(trx, [product.id]),
    calls: Array.from({ length: 40 }, (_, guest) => () => open(guest)),
  };
}

async function payForProduct() {
  const product = await makeProduct(shop.deps, { items: 1 });
  const buyer = createShopper(shop.url, { from: '192.0.2.1' });
  const paid = await buyer.authorise([{ product, quantity: 1 }], { email: `pays-${product.id}@example.com` });
  return { product, paid };
}

it.each([
  ['five customers who change their carts many times', changeCarts],
  ['a guest who guesses a password many times', guessPasswords],
  ['guests who open payments for the same product', openPayments],
])('%s at once leave connections to the database to a paid order and to a page', async (_who, prepare) => {
  const { lock, calls } = await prepare();
  const { product, paid } = await payForProduct();
  const answers = await shop.deps.db.transaction().execute(async (trx) => {
    await lock(trx);
    const answers = calls.map((call) => call());
    await vi.waitFor(async () => expect(await countWaiting(shop.deps.db)).toBeGreaterThan(1), {
      timeout: 10_000,
      interval: 20,
    });
    expect(await paid.place()).toMatchObject({ status: 201 });
    expect(await createShopper(shop.url).get(`/digital-product/${product.id}`)).toMatchObject({ status: 200 });
    return { all: Promise.all(answers) };
  });
  expect((await answers.all).filter(({ status }) => status >= 500)).toEqual([]);
});

it('long reads of the catalogue leave connections to the database to a paid order, also while customers change carts', async () => {
  const { lock, calls } = await changeCarts();
  const { paid } = await payForProduct();
  const { promise: areOver, resolve: end } = Promise.withResolvers<void>();
  const read = () => shop.deps.readDb.transaction().execute(() => areOver);
  const reads = Promise.all(Array.from({ length: 40 }, read));
  try {
    const changes = await shop.deps.db.transaction().execute(async (trx) => {
      await lock(trx);
      const answers = calls.map((call) => call());
      await vi.waitFor(async () => expect(await countWaiting(shop.deps.db)).toBeGreaterThan(7), {
        timeout: 10_000,
        interval: 20,
      });
      expect(await paid.place()).toMatchObject({ status: 201 });
      return { all: Promise.all(answers) };
    });
    end();
    await changes.all;
  } finally {
    end();
  }
  await reads;
});
