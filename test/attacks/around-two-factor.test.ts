import { describe, expect, it } from 'vitest';
import { listLiveSessions } from '../../src/server/features/accounts/sessions.queries.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { inTurn } from '../locks.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';
import { codeAt, makeUserWithTwoFactor, setUp } from '../two-factor.ts';

// The other ways to sign in, and what happens while a login is under way.

const NEW_PASSWORD = 'another battery staple';

const shop = await openTestShop();

async function turnOn(shopper: Shopper): Promise<string> {
  const { secret } = await setUp(shopper);
  const token = codeAt(secret, shop.deps.clock.now());
  expect(await shopper.post('/api/auth/2fa/verify', { token })).toMatchObject({ status: 200 });
  return secret;
}

async function buyAsGuest(buyer: Shopper, email: string, password: string) {
  const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
  return (await buyer.authorise(cart, { email, password })).place;
}

const reset = async (email: string) => {
  await createShopper(shop.url).post('/api/auth/forgotpassword', { email });
  const resetToken = await linkTokenTo(shop, email, '/reset-password');
  const body = { resetToken, password: NEW_PASSWORD };
  return createShopper(shop.url).post('/api/auth/resetpassword', body);
};

const asksForCode = { status: 200, body: { requiresTwoFactor: true } };

describe('two-factor cannot be bypassed', () => {
  it('by repeating the checkout that created the account, with its cookie and the right password', async () => {
    const [buyer, email, password] = [createShopper(shop.url), 'bought@example.com', 'chosen-at-checkout'];
    const place = await buyAsGuest(buyer, email, password);
    const { token } = (await place()).body.data ?? {};
    buyer.setToken(token);
    await turnOn(buyer);

    buyer.setToken(undefined);
    const again = [await place(), await buyer.post('/api/digital-orders/guest/checkout', { password })];
    for (const { body } of again) {
      expect(body.data).toMatchObject({ access: 'sign-in' });
      expect(body.data).not.toHaveProperty('token');
    }
  });

  it('by resetting the password by mail', async () => {
    const { user } = await makeUserWithTwoFactor(shop);
    expect(await reset(user.email)).toMatchObject({ status: 200 });
    const answer = await createShopper(shop.url).signIn(user.email, NEW_PASSWORD);
    expect(answer).toMatchObject(asksForCode);
    expect(answer.body.token).toBeUndefined();
  });
});

describe('an email owner whose account an attacker has protected with two-factor', () => {
  it('gets the account with the claim link of an order', async () => {
    const email = 'claimed@example.com';
    const first = createShopper(shop.url);
    first.setToken((await (await buyAsGuest(first, email, 'the-first-one'))()).body.data?.token);
    await turnOn(first);
    await (await buyAsGuest(createShopper(shop.url), email, NEW_PASSWORD))();

    const claimToken = await linkTokenTo(shop, email, '/claim');
    const owner = createShopper(shop.url);
    const claimed = await owner.post('/api/auth/claim', { claimToken, password: NEW_PASSWORD });
    owner.setToken(claimed.body.token);
    expect((await owner.get('/api/auth/2fa/status')).body.data).toMatchObject({ enabled: false });
    expect((await createShopper(shop.url).signIn(email, NEW_PASSWORD)).body.token).toBeDefined();
  });

  it('gets the account with a password reset', async () => {
    const { email } = await makeUser(shop.deps, { email_verified_at: null });
    const first = createShopper(shop.url);
    await first.signIn(email, TEST_PASSWORD);
    await turnOn(first);
    await reset(email);
    expect((await createShopper(shop.url).signIn(email, NEW_PASSWORD)).body.token).toBeDefined();
  });
});

describe('a concurrent call', () => {
  const liveSessions = (userId: string) => listLiveSessions(shop.deps.db, userId, shop.deps.clock.now());

  const changePassword = (shopper: Shopper) => () =>
    shopper.send('PUT', '/api/auth/updatepassword', { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD });

  it('that logs in with the old password fails after a password change', async () => {
    const { id, email } = await makeUser(shop.deps);
    const shopper = createShopper(shop.url);
    await shopper.signIn(email, TEST_PASSWORD);
    const [, late] = await inTurn(shop.deps.db, id, [
      changePassword(shopper),
      () => createShopper(shop.url).signIn(email, TEST_PASSWORD),
    ]);
    expect(late).toMatchObject({ status: 401, body: { code: 'INVALID_CREDENTIALS' } });
    expect(await liveSessions(id)).toHaveLength(1);
  });

  it('that logs in with a code fails after a password change', async () => {
    const { user, shopper, begin, finish, code } = await makeUserWithTwoFactor(shop);
    const pendingToken = await begin();
    const [, late] = await inTurn(shop.deps.db, user.id, [changePassword(shopper), () => finish(pendingToken, code())]);
    expect(late).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(await liveSessions(user.id)).toHaveLength(1);
  });

  it('that logs in just before a password change loses its session', async () => {
    const { user, shopper, begin, finish, code } = await makeUserWithTwoFactor(shop);
    const pendingToken = await begin();
    const [early] = await inTurn(shop.deps.db, user.id, [() => finish(pendingToken, code()), changePassword(shopper)]);
    expect(early).toMatchObject({ status: 200 });
    expect(await liveSessions(user.id)).toHaveLength(1);
  });

  it('that logs in with the password gets a new cookie for a device forgotten meanwhile', async () => {
    const { id, email } = await makeUser(shop.deps);
    const [lost, own] = [createShopper(shop.url), createShopper(shop.url)];
    for (const browser of [lost, own]) await browser.signIn(email, TEST_PASSWORD);
    const forgotten = lost.cookies.get('device');
    const logIn = () => lost.signIn(email, TEST_PASSWORD);
    const [late] = await inTurn(shop.deps.db, id, [logIn], () => own.send('DELETE', '/api/auth/sessions'));
    expect(late).toMatchObject({ status: 200 });
    expect(lost.cookies.get('device')).not.toBe(forgotten);
  });

  it('that logs in with a code gets a new cookie for a device forgotten meanwhile', async () => {
    const { user, shopper: lost, signIn, code } = await makeUserWithTwoFactor(shop);
    const own = createShopper(shop.url);
    own.setToken((await signIn(code())).body.token);
    const forgotten = lost.cookies.get('device');
    const { pendingToken } = (await lost.signIn(user.email, TEST_PASSWORD)).body;
    await own.send('DELETE', '/api/auth/sessions');
    const late = await lost.post('/api/auth/login', { pendingToken, twoFactorToken: code(1) });
    expect(late).toMatchObject({ status: 200 });
    expect(lost.cookies.get('device')).not.toBe(forgotten);
  });

  it('that logs in needs a code if two-factor is turned on meanwhile', async () => {
    const { id, email } = await makeUser(shop.deps);
    const shopper = createShopper(shop.url);
    await shopper.signIn(email, TEST_PASSWORD);
    const { secret } = await setUp(shopper);
    const [turnedOn, late] = await inTurn(shop.deps.db, id, [
      () => shopper.post('/api/auth/2fa/verify', { token: codeAt(secret, shop.deps.clock.now()) }),
      () => createShopper(shop.url).signIn(email, TEST_PASSWORD),
    ]);
    expect(turnedOn).toMatchObject({ status: 200 });
    expect(late).toMatchObject(asksForCode);
    expect(await liveSessions(id)).toHaveLength(1);
  });

  it('that sends a code fails if two-factor is turned off meanwhile', async () => {
    const { user, shopper, begin, finish, code } = await makeUserWithTwoFactor(shop);
    const pendingToken = await begin();
    const [turnedOff, late] = await inTurn(shop.deps.db, user.id, [
      () => shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD }),
      () => finish(pendingToken, code()),
    ]);
    expect(turnedOff).toMatchObject({ status: 200 });
    expect(late).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });

  it('that verifies a code of a setup fails if the setup is replaced meanwhile', async () => {
    const { id, email } = await makeUser(shop.deps);
    const shopper = createShopper(shop.url);
    await shopper.signIn(email, TEST_PASSWORD);
    const { secret } = await setUp(shopper);
    const [replaced, late] = await inTurn(shop.deps.db, id, [
      () => shopper.post('/api/auth/2fa/setup'),
      () => shopper.post('/api/auth/2fa/verify', { token: codeAt(secret, shop.deps.clock.now()) }),
    ]);
    expect(replaced).toMatchObject({ status: 200 });
    expect(late).toMatchObject({ status: 401, body: { code: 'INVALID_CODE' } });
  });
});

it('an administrator who turned two-factor on cannot reveal items before a new login with a code', async () => {
  const { email } = await makeUser(shop.deps, { role: 'admin' });
  const [stolen, own] = [createShopper(shop.url), createShopper(shop.url)];
  await stolen.signIn(email, TEST_PASSWORD);
  const secret = await turnOn(stolen);
  const product = await makeProduct(shop.deps);
  const address = `/api/digital-products/${product.id}/inventory`;
  const { items } = (await stolen.get(address)).body.data as unknown as { items: { _id: string }[] };
  const step = (steps: number) => codeAt(secret, new Date(shop.deps.clock.now().getTime() + steps * 30_000));
  const reveal = (by: Shopper, code: string) => by.post(`${address}/${items[0]?._id}/reveal`, { reason: 'Mine', code });
  shop.pass(60_000);
  expect(await reveal(stolen, step(-1))).toMatchObject({
    status: 409,
    body: { code: 'TWO_FACTOR_NOT_SET_UP', message: expect.stringContaining('sign in again') },
  });

  // The account's owner, who has the password, signs in with a code.
  const { pendingToken } = (await own.signIn(email, TEST_PASSWORD)).body;
  const { body } = await own.post('/api/auth/login', { pendingToken, twoFactorToken: step(0) });
  own.setToken(body.token);
  expect((await reveal(own, step(1))).body.data).toEqual({ content: product.keys[0] });
});
