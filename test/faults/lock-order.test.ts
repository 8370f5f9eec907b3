import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Deps } from '../../src/server/deps.ts';
import { confirmEmail } from '../../src/server/features/accounts/account-email.ts';
import { resetPassword } from '../../src/server/features/accounts/change-password.ts';
import { listLiveSessions } from '../../src/server/features/accounts/sessions.queries.ts';
import { rollUpSalesDays } from '../../src/server/features/admin/stats.queries.ts';
import { lockAgainstUploads, saveProduct } from '../../src/server/features/catalog/products.queries.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { withdrawUnsoldItems } from '../../src/server/features/inventory/stock.queries.ts';
import { notifyOwner } from '../../src/server/features/notifications/notifications.ts';
import { finishRefunds } from '../../src/server/features/orders/finish-refunds.ts';
import { lockOrder } from '../../src/server/features/orders/orders.queries.ts';
import { beginRefund, refundByAdmin } from '../../src/server/features/orders/refund-order.ts';
import { updateBlock } from '../../src/server/features/users/users.ts';
import { hashToken, randomToken } from '../../src/server/platform/crypto/tokens.ts';
import type { Transaction } from '../../src/server/platform/database/database.ts';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { PaymentRefused } from '../../src/server/platform/payments/payments.ts';
import { MINUTE_MS } from '../../src/shared/durations.ts';
import { type AdminOrders, openAdminOrders } from '../admin-orders.ts';
import { makeProduct, makeUser } from '../factories.ts';
import { countWaiting, startWhileLocked } from '../locks.ts';
import { loseDispute } from '../lost-dispute.ts';
import { type Bought, buyAsGuest } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { newTokenOf } from '../signed-in.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

const ROUNDS = 3;
const CLIENT = { ip: '127.0.0.1', userAgent: 'test' };

let shop: TestShop;
let desk: AdminOrders;
let administrator: UserRow;
let sessionId: string;
beforeAll(async () => {
  shop = await startTestShop();
  desk = await openAdminOrders(shop);
  administrator = await makeUser(shop.deps, { role: 'admin' });
  await newTokenOf(shop.deps, administrator);
  [{ id: sessionId } = { id: '' }] = await listLiveSessions(shop.deps.db, administrator.id, shop.deps.clock.now());
});
afterAll(() => shop.stop());

const actor = () => ({ userId: administrator.id, name: administrator.email, ip: CLIENT.ip });

/** Stores a mailed link of a user; returns its token. */
async function mailLink(user: UserRow, kind: 'password-reset' | 'email-change', email = user.email): Promise<string> {
  const [token, now] = [randomToken(), shop.deps.clock.now()];
  await shop.deps.db
    .insertInto('verifications')
    .values({
      ...{ id: crypto.randomUUID(), purpose: kind, user_id: user.id, order_id: null, email },
      secret_hash: hashToken(token),
      ...{ created_at: now, expires_at: new Date(now.getTime() + 10 * MINUTE_MS), used_at: null },
    })
    .execute();
  if (kind === 'email-change') {
    const change = { user_id: user.id, email, asked_at: now };
    await shop.deps.db.insertInto('email_changes').values(change).execute();
  }
  return token;
}

/**
 * Locks rows, starts each call once the one before it waits for them, then unlocks; returns the results of the calls.
 */
async function startInTurn(lock: (trx: Transaction) => Promise<unknown>, calls: (() => Promise<unknown>)[]) {
  const { db } = shop.deps;
  const running: Promise<unknown>[] = [];
  // Open the connections before the lock: on a busy machine that can take longer than a statement may wait.
  await Promise.all(Array.from({ length: 6 }, () => sql`SELECT 1`.execute(db)));
  await db.transaction().execute(async (trx) => {
    // This transaction is idle until all calls wait, for as long as a busy machine takes.
    await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(trx);
    await lock(trx);
    for (const call of calls) {
      const started = call();
      running.push(started);
      let ended: unknown;
      started.then(
        () => {
          ended = 'without waiting';
        },
        (error: unknown) => {
          ended = error;
        },
      );
      await vi.waitFor(
        async () => expect({ waiting: await countWaiting(shop.deps.db), ended }).toEqual({ waiting: running.length }),
        { timeout: 60_000 },
      );
    }
  });
  return Promise.allSettled(running);
}

/** Does everything to one order, its product, its buyer and its administrator, each more than once and all at once. */
async function doAllAtOnce(bought: Bought, round: number): Promise<number[]> {
  const { deps } = shop;
  const [product] = bought.products;
  const page = await desk.page(bought.orderId);
  const items = page.lines.flatMap((line) => line.items);
  const report = (item: string, draft: string) =>
    bought.buyer.post('/api/problem-reports', { order: bought.orderId, item, problem: 'used', text: 'No', draft });
  const reportId = uuidv7();
  await report(items[0]?._id ?? '', reportId);
  const [message] = await deps.db
    .selectFrom('report_messages')
    .select('id')
    .where('report_id', '=', reportId)
    .execute();
  const { id: buyerId } = await deps.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', bought.guest.email)
    .executeTakeFirstOrThrow();
  const review = async (stars: number) =>
    (await bought.buyer.send('PUT', `/api/my-reviews/${product?.id}`, { stars, title: '', text: 'Good' })).status;
  await review(5);
  const written = await deps.db
    .selectFrom('reviews')
    .select('id')
    .where('product_id', '=', product?.id ?? '')
    .executeTakeFirstOrThrow();
  const reason = 'Faulty';
  const act = async (action: string, body: object) => (await desk.act(bought.orderId, action, body)).status;
  const send = async (method: string, path: string, body?: object) =>
    (await desk.admin.send(method, `/api${path}`, body)).status;
  const byItself = async (work: Promise<unknown>) => {
    await work;
    return 200;
  };
  const ahead: Deps = { ...deps, clock: { now: () => new Date(Date.now() + 2 * MINUTE_MS) } };
  const anotherBuyer = async () => {
    const cart = bought.products.map((one) => ({ product: one, quantity: 1 }));
    const email = `other-${bought.guest.email}`;
    return (await createShopper(shop.url).openPayment(cart, { email })).status;
  };
  const sameBuyer = async (onRepeat: 'ask' | 'allow') => {
    const cart = bought.products.map((one) => ({ product: one, quantity: 1 }));
    return (await bought.buyer.openPayment(cart, undefined, { onRepeat })).status;
  };
  const endings = [
    () => act('refund', { reason }),
    () => act('status', { status: 'Cancelled', reason }),
    () => byItself(loseDispute(deps, bought.orderId)),
  ];
  const calls: (() => Promise<number>)[] = [
    ...page.lines.flatMap(({ _id, quantity }) =>
      Array.from({ length: quantity + 1 }, () => () => act('refund', { reason, lines: [{ line: _id, quantity: 1 }] })),
    ),
    ...page.lines.flatMap(({ items }) =>
      items.map(
        ({ _id }) =>
          () =>
            act('replace-item', { item: _id, reason }),
      ),
    ),
    () => act('resend-mail', {}),
    ...items.map(
      ({ _id }) =>
        async () =>
          (await report(_id, uuidv7())).status,
    ),
    ...(['answer', 'replace', 'refund'] as const).map((answer) => () => {
      const words = answer === 'answer' && { text: 'Sorry', draft: uuidv7(), close: false };
      return send('POST', `/admin/problem-reports/${reportId}/${answer}`, { lastMessage: message?.id, ...words });
    }),
    () => review(1),
    async () => (await bought.buyer.send('DELETE', `/api/my-reviews/${product?.id}`)).status,
    () => send('POST', `/admin/reviews/${written.id}/publish`, { version: 1 }),
    () => send('POST', `/admin/reviews/${written.id}/reject`, { version: 1, reason }),
    () => byItself(bought.buyer.get(`/api/digital-orders/${bought.orderId}/items`)),
    () => byItself(sweepOrders(ahead)),
    () => byItself(notifyOwner(ahead)),
    () => byItself(finishRefunds(ahead, bought.orderId).catch(refusedOnly)),
    () => byItself(rollUpSalesDays(deps.db, new Date(Date.now() + 3 * 24 * 60 * MINUTE_MS))),
    () => send('PUT', `/admin/users/${buyerId}/block`, { blocked: true, reason }),
    () => send('PUT', `/admin/users/${buyerId}/block`, { blocked: false }),
    () => send('DELETE', `/digital-products/${product?.id}`),
    () => send('POST', `/digital-products/${product?.id}/inventory`, { items: [`${bought.orderId}-A`] }),
    anotherBuyer,
    () => sameBuyer('ask'),
    () => sameBuyer('allow'),
    ...endings.slice(round % endings.length, (round % endings.length) + 1),
  ];
  return Promise.all(
    calls
      .flatMap((call) => [call, call])
      .sort(() => Math.random() - 0.5)
      .map((call) => call()),
  );
}

const refusedOnly = (error: unknown) => {
  if ((error as { name?: string }).name !== 'PaymentRefused') throw error;
};

/**
 * Counts deadlocks in the shop's database. A connection reports its own when it ends, so the shop's are closed first.
 */
async function countDeadlocks(): Promise<number> {
  const { db, config } = shop.deps;
  await db.destroy();
  const client = new pg.Client({ connectionString: config.databaseUrl, application_name: 'observer' });
  await client.connect();
  try {
    await vi.waitFor(
      async () => {
        const { rows } = await client.query(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kedai'`,
        );
        expect(rows).toEqual([]);
      },
      { timeout: 30_000 },
    );
    const { rows } = await client.query<{ deadlocks: number }>(
      'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
    );
    return rows[0]?.deadlocks ?? -1;
  } finally {
    await client.end();
  }
}

describe('the sequence of locks', () => {
  it('lets an administrator block a user who is opening a mailed link', async () => {
    const user = await makeUser(shop.deps);
    const token = await mailLink(user, 'password-reset');
    const authenticatedAt = shop.deps.clock.now();
    const outcomes = await startInTurn(
      (trx) => trx.selectFrom('verifications').where('user_id', '=', user.id).forUpdate().execute(),
      [
        () => resetPassword(shop.deps, { token, password: 'another-password', client: CLIENT }),
        () =>
          updateBlock(shop.deps, {
            userId: user.id,
            reason: 'Fraud',
            actor: { ...actor(), sessionId },
            authenticatedAt,
          }),
      ],
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('lets an administrator refund an order of the email to which they are changing', async () => {
    const { orderId, guest } = await buyAsGuest(shop, { quantity: 1 });
    await shop.deps.db
      .updateTable('orders')
      .set({ user_id: null, contact_email: `new-${guest.email}` })
      .where('id', '=', orderId)
      .execute();
    const token = await mailLink(administrator, 'email-change', `new-${guest.email}`);
    const outcomes = await startInTurn(
      // The lock lets rows refer to the order. Otherwise the order's mail job, which writes a claim link, would be
      // counted.
      (trx) => lockOrder(trx, orderId),
      [
        () => refundByAdmin(shop.deps, { orderId, reason: 'Faulty', actor: actor() }),
        () => confirmEmail(shop.deps, { token, userId: administrator.id, sessionId, ip: '' }),
      ],
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('lets an administrator delete a product that a buyer is ordering', async () => {
    const { db } = shop.deps;
    const product = await makeProduct(shop.deps);
    const buyer = createShopper(shop.url);
    const { opened } = await db.transaction().execute(async (trx) => {
      await lockAgainstUploads(trx, product.id);
      const opened = buyer.openPayment([{ product, quantity: 1 }], { email: 'late@example.com' });
      await vi.waitFor(async () => expect(await countWaiting(db)).toBe(1), { timeout: 60_000 });
      await saveProduct(trx, product.id, { is_active: false });
      await withdrawUnsoldItems(trx, product.id);
      return { opened };
    });
    expect(await opened).toMatchObject({ status: 409, body: { code: 'PRODUCT_UNAVAILABLE' } });
  });

  it('lets an administrator sell items as another product while their deletion is being undone', async () => {
    const { db, cipher } = shop.deps;
    const [deleted, other] = [await makeProduct(shop.deps, { items: 1 }), await makeProduct(shop.deps)];
    const path = (product: { id: string }) => `/api/digital-products/${product.id}`;
    // The items are put on sale again in batches of 5,000 by id, and locked by fingerprint in each.
    const contents = ['LOCK-A', 'LOCK-B', 'LOCK-C'].map((content) => ({ content, hash: cipher.fingerprint(content) }));
    const [held, late, early] = contents.sort((one, next) => Buffer.compare(one.hash, next.hash));
    const insert = (hashes: RawBuilder<unknown>) =>
      sql`
        INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, added_at)
        SELECT uuidv7(), product_id, state, key_id, nonce, ciphertext, hashes.hash, added_at FROM (${hashes}) AS hashes,
          (SELECT * FROM items WHERE product_id = ${deleted.id} ORDER BY id LIMIT 1) AS item`.execute(db);
    await insert(sql`SELECT ${early?.hash}::bytea AS hash`);
    await insert(sql`SELECT sha256(n::text::bytea) AS hash FROM generate_series(1, 5000) AS n`);
    await insert(sql`SELECT unnest(${[held?.hash, late?.hash]}::bytea[]) AS hash`);
    expect((await desk.admin.send('DELETE', path(deleted))).status).toBe(200);

    const upload = { items: [late?.content, early?.content], restoreReason: 'Sell as another product' };
    const [undone, added] = await startWhileLocked(
      db,
      (trx) => sql`SELECT FROM items WHERE content_hmac = ${held?.hash} FOR UPDATE`.execute(trx),
      [
        () => desk.admin.send('PUT', path(deleted), { undoDelete: true }),
        () => desk.admin.post(`${path(other)}/inventory`, upload),
      ],
      async () => {
        const free = sql`SELECT FROM items WHERE content_hmac = ${late?.hash} FOR UPDATE SKIP LOCKED`;
        expect((await free.execute(db)).rows).toHaveLength(1);
      },
    );
    expect([undone?.status, added?.status]).toEqual([200, 200]);
  });

  it('lets the provider refuse a partial refund while the rest is being refunded', async () => {
    const { deps } = shop;
    const { orderId } = await buyAsGuest(shop, { quantity: 2 });
    const begin = (lines?: { line: string; quantity: number }[]) =>
      deps.db
        .transaction()
        .execute(async (trx) => beginRefund(deps, trx, await lockOrder(trx, orderId), { reason: 'Faulty', lines }));
    const [line] = (await desk.page(orderId)).lines;
    await begin([{ line: line?._id ?? '', quantity: 1 }]);
    const [asked, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    const refundIntent = () => {
      asked.resolve();
      return refused.promise;
    };
    const part = finishRefunds({ ...deps, payments: { ...deps.payments, refundIntent } }, orderId);
    await asked.promise;
    await begin();

    const outcomes = await startInTurn(
      async (trx) => {
        await lockOrder(trx, orderId);
        await trx.selectFrom('refunds').where('order_id', '=', orderId).forUpdate().execute();
      },
      [
        () => {
          refused.reject(new PaymentRefused('failed', 'The charge was refunded'));
          return part;
        },
        () => finishRefunds(deps, orderId),
      ],
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect((await desk.page(orderId)).state).toBe('refunded');
    // No alert: the refused refund was paid back with the rest.
    expect(shop.logLines.filter((logged) => logged.includes('refund-failed'))).toEqual([]);
  });

  it('allows all operations on one order at once without a 5xx or a deadlock', async () => {
    const bad: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const bought = await buyAsGuest(
        shop,
        { quantity: 3, warranty_days: 30, price_cents: 333 },
        { quantity: 2, warranty_days: 30, price_cents: 149 },
      );
      const statuses = await doAllAtOnce(bought, round);
      bad.push(...statuses.filter((status) => status >= 500));
    }
    expect(bad).toEqual([]);
    // Last, and counted by the database: a call that is repeated after a deadlock hides it from its answer.
    expect(await countDeadlocks()).toBe(0);
  });
});
