import { describe, expect, it } from 'vitest';
import { lockAndFindLastEntry } from '../../src/server/features/admin/audit-log.ts';
import { lockOrder } from '../../src/server/features/orders/orders.queries.ts';
import { makeProduct, makeReview, makeUser, TEST_PASSWORD } from '../factories.ts';
import { inTurn, startWhileLocked } from '../locks.ts';
import { buyAsGuest } from '../purchases.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { type Answer, createShopper, type Shopper } from '../shopper.ts';
import { changeEmail, signedInUser } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';
import { codeAt, setUp } from '../two-factor.ts';

// A thief's call began while the session was live, and waits for what its owner does to end that session.

const NEW_PASSWORD = 'another battery staple';
const ended = { status: 401, body: { code: 'UNAUTHENTICATED' } };

const shop = await openTestShop();

/** Signs in, as the thief is, and returns the reset of the password by the owner of the account. */
async function stolenSession(overrides: Parameters<typeof makeUser>[1] = {}) {
  const { user, browser: thief } = await signedInUser(shop, overrides);
  await createShopper(shop.url).post('/api/auth/forgotpassword', { email: user.email });
  const resetToken = await linkTokenTo(shop, user.email, '/reset-password');
  const reset = () => createShopper(shop.url).post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
  const signInAsOwner = async () => {
    const owner = createShopper(shop.url);
    return { owner, ...(await owner.signIn(user.email, NEW_PASSWORD)) };
  };
  return { user, thief, reset, signInAsOwner };
}

describe('a session ended by a concurrent password reset', () => {
  it('cannot switch two-factor on, which would lock out the owner', async () => {
    const { user, thief, reset, signInAsOwner } = await stolenSession();
    const { secret } = await setUp(thief);
    const [first, late] = await inTurn(shop.deps.db, user.id, [
      reset,
      () => thief.post('/api/auth/2fa/verify', { token: codeAt(secret, shop.deps.clock.now()) }),
    ]);
    expect(first).toMatchObject({ status: 200 });
    expect(late).toMatchObject(ended);
    expect((await signInAsOwner()).body.token).toBeDefined();
  });

  it('cannot change the email or other details', async () => {
    const { user, thief, reset, signInAsOwner } = await stolenSession();
    const [, late] = await inTurn(shop.deps.db, user.id, [reset, () => changeEmail(thief, 'thief@example.com')]);
    expect(late).toMatchObject(ended);
    const { owner } = await signInAsOwner();
    expect((await owner.get('/api/auth/pendingemail')).body.data).toBeNull();
    expect((await owner.get('/api/auth/me')).body.data).toMatchObject({ name: user.name });
  });

  it('cannot mail the link of a pending change of the email again', async () => {
    const { user, thief, reset } = await stolenSession();
    await changeEmail(thief, 'pending@example.com');
    const [, late] = await inTurn(shop.deps.db, user.id, [reset, () => thief.post('/api/auth/pendingemail')]);
    expect(late).toMatchObject(ended);
  });

  it('of an administrator cannot promote a user', async () => {
    const { user, thief, reset } = await stolenSession({ role: 'admin' });
    const accomplice = await makeUser(shop.deps);
    const [, late] = await inTurn(shop.deps.db, user.id, [
      reset,
      () => thief.send('PUT', `/api/admin/users/${accomplice.id}/role`, { role: 'admin' }),
    ]);
    expect(late).toMatchObject(ended);
  });
});

it('a session ended by a concurrent call of another device cannot change the password', async () => {
  const { user, browser: owner } = await signedInUser(shop);
  const thief = createShopper(shop.url);
  await thief.signIn(user.email, TEST_PASSWORD);
  const body = { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD };
  const [late] = await inTurn(shop.deps.db, user.id, [() => thief.send('PUT', '/api/auth/updatepassword', body)], () =>
    owner.send('DELETE', '/api/auth/sessions'),
  );
  expect(late).toMatchObject(ended);
  expect((await owner.get('/api/auth/me')).status).toBe(200);
});

describe('a call of an administrator that waits for the lock of an order', () => {
  it.each([
    ['is made a customer', 'role', { role: 'customer' }],
    ['is blocked', 'block', { blocked: true, reason: 'A thief' }],
  ])('does not refund if the administrator %s meanwhile', async (_, change, body) => {
    const [{ user, browser: late }, { browser: owner }] = [
      await signedInUser(shop, { role: 'admin' }),
      await signedInUser(shop, { role: 'admin' }),
    ];
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    const [refund] = await startWhileLocked(
      shop.deps.db,
      (trx) => lockOrder(trx, orderId),
      [() => late.post(`/api/admin/orders/${orderId}/refund`, { reason: 'Mine' })],
      () => owner.send('PUT', `/api/admin/users/${user.id}/${change}`, body),
    );
    expect(refund).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await shop.deps.db.selectFrom('refunds').select('id').where('order_id', '=', orderId).execute()).toEqual([]);
  });
});

describe('a call of an administrator whose session is ended by a password reset before the write', () => {
  const product = () => makeProduct(shop.deps, { items: 1 });
  const review = async () => {
    const { user, browser } = await signedInUser(shop);
    const { id, name, price } = await product();
    await browser.buy([{ product: { id, name, price }, quantity: 1 }]);
    await makeReview(shop.deps, id, user.id);
    return shop.deps.db.selectFrom('reviews').selectAll().where('product_id', '=', id).executeTakeFirstOrThrow();
  };
  const calls: [string, (thief: Shopper) => Promise<() => Promise<Answer>>][] = [
    [
      'does not change a price',
      async (thief) => {
        const { id } = await product();
        return () => thief.send('PUT', `/api/digital-products/${id}`, { price: 0.01 });
      },
    ],
    [
      'deletes no product',
      async (thief) => {
        const { id } = await product();
        return () => thief.send('DELETE', `/api/digital-products/${id}`);
      },
    ],
    [
      'uploads no keys',
      async (thief) => {
        const { id } = await product();
        return () => thief.post(`/api/digital-products/${id}/inventory`, { items: [`THIEF-${id}`] });
      },
    ],
    ['finds no key', async (thief) => () => thief.post('/api/admin/inventory/search', { content: 'A-GUESS' })],
    [
      'publishes no review',
      async (thief) => {
        const { id, version } = await review();
        return () => thief.post(`/api/admin/reviews/${id}/publish`, { version });
      },
    ],
    ['gets no report', async (thief) => () => thief.get('/api/admin/reports/orders')],
    ['does not close the shop', async (thief) => () => thief.post('/api/admin/shop/close', { reason: 'Mine' })],
    [
      'writes no note on an order',
      async (thief) => {
        const { orderId } = await buyAsGuest(shop, { quantity: 1 });
        return () => thief.post(`/api/admin/orders/${orderId}/notes`, { text: 'Mine' });
      },
    ],
  ];

  it.each(calls)('%s', async (_, prepare) => {
    const { user, thief, reset } = await stolenSession({ role: 'admin' });
    const call = await prepare(thief);
    const [late] = await startWhileLocked(shop.deps.db, lockAndFindLastEntry, [call], reset);
    expect(late).toMatchObject(ended);
    const written = shop.deps.db.selectFrom('audit_log').select('action').where('user_id', '=', user.id);
    expect(await written.execute()).toEqual([{ action: 'user.signed-in' }]);
  });
});

it('an administrator can change their own role to customer, which ends their session', async () => {
  await makeUser(shop.deps, { role: 'admin' });
  const { user, browser } = await signedInUser(shop, { role: 'admin' });
  expect(await browser.send('PUT', `/api/admin/users/${user.id}/role`, { role: 'customer' })).toMatchObject({
    status: 200,
  });
  expect(await browser.get('/api/auth/me')).toMatchObject(ended);
});
