import { describe, expect, it, vi } from 'vitest';
import { markEmailVerified } from '../../src/server/features/accounts/account-email.ts';
import { settleOrder } from '../../src/server/features/checkout/settle-order.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { countWaiting } from '../locks.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { openTestShop, startTestShop } from '../test-shop.ts';

const shop = await openTestShop();

/** Buys one unit as a guest with a good card; `placed` is the answer of the order call. */
async function buyAsGuest(buyer: Shopper, who: { email: string; password: string; name?: string }) {
  const product = await makeProduct(shop.deps, { items: 1 });
  const cart = [{ product, quantity: 1 }];
  const { orderId, place } = await buyer.authorise(cart, who);
  return { orderId, placed: await place(), placeAgain: place, key: product.keys[0] };
}

/** Returns the token of the claim link in the latest mail to an address. */
const claimTokenOf = (email: string) => linkTokenTo(shop, email, '/claim');

const claim = (claimToken: string, password = 'the-real-owner') =>
  createShopper(shop.url).post('/api/auth/claim', { claimToken, password });

const findUser = (email: string) =>
  shop.deps.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow();

const itemsOf = (browser: Shopper, orderId: string) => browser.get(`/api/digital-orders/${orderId}/items`);

describe('a guest with the email of a verified account', () => {
  it('gets no token and does not change the account, which receives the order', async () => {
    const owner = await makeUser(shop.deps);
    const { placed, orderId } = await buyAsGuest(createShopper(shop.url), {
      email: owner.email,
      password: 'taken-over',
    });
    expect(placed).toMatchObject({ status: 201, body: { data: { access: 'sign-in' } } });
    expect(placed.body.data?.token).toBeUndefined();
    expect(await createShopper(shop.url).signIn(owner.email, 'taken-over')).toMatchObject({ status: 401 });

    const signedIn = createShopper(shop.url);
    await signedIn.signIn(owner.email, TEST_PASSWORD);
    expect((await signedIn.get('/api/digital-orders/myorders')).body.data).toMatchObject([{ _id: orderId }]);
  });

  it.each([
    ['as it is', (email: string) => email],
    ['in capitals and with spaces', (email: string) => `  ${email.toUpperCase()} `],
  ])('does not change an administrator’s account, with the email written %s', async (_, spelling) => {
    const owner = await makeUser(shop.deps, { role: 'admin', name: 'The Owner' });
    const { placed } = await buyAsGuest(createShopper(shop.url), {
      email: spelling(owner.email),
      password: 'taken-over',
      name: 'Somebody Else',
    });
    expect(placed.body.data).toMatchObject({ access: 'sign-in' });
    expect(await findUser(owner.email)).toEqual(owner);
  });
});

describe('an attacker who bought with the owner’s email first', () => {
  it('cannot read the owner’s order, and loses the account when the owner uses the mailed link', async () => {
    const email = 'victim@example.com';
    const first = createShopper(shop.url);
    const taken = await buyAsGuest(first, { email, password: 'the-first-one' });
    first.setToken(taken.placed.body.data?.token);
    expect(taken.placed.body.data?.access).toBe('signed-in');

    const bought = await buyAsGuest(createShopper(shop.url), { email, password: 'the-real-owner' });
    expect(bought.placed.body.data).toMatchObject({ status: 'Delivered', access: 'check-mail' });
    expect(await first.get(`/api/digital-orders/${bought.orderId}/items`)).toMatchObject({ status: 404 });

    const claimToken = await claimTokenOf(email);
    const owner = createShopper(shop.url);
    const claimed = await claim(claimToken);
    expect(claimed).toMatchObject({ status: 200, body: { user: { email } } });
    owner.setToken(claimed.body.token);
    const opened = await owner.get(`/api/digital-orders/${bought.orderId}/items`);
    expect(opened.body.data).toMatchObject({ items: [{ items: [{ content: bought.key }] }] });

    expect(await first.get('/api/auth/me')).toMatchObject({ status: 401 });
    expect(await first.signIn(email, 'the-first-one')).toMatchObject({ status: 401 });
    const again = await claim(claimToken, 'once-more-please');
    expect(again).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
  });
});

/**
 * Buys with an e-mail address of somebody else; returns the browser, which is signed in to the account that this
 * creates.
 */
async function squat(email: string): Promise<Shopper> {
  const squatter = createShopper(shop.url);
  const { placed } = await buyAsGuest(squatter, { email, password: 'the-first-one' });
  squatter.setToken(placed.body.data?.token);
  return squatter;
}

const details = (email: string) => ({
  name: 'The First',
  email,
  phone: '',
  address: { street: '', city: '', state: '', zipCode: '', country: '' },
});

describe('an attacker who has an account with the owner’s email', () => {
  it('cannot move the account to another email with a link requested before the owner’s claim', async () => {
    const squatter = await squat('prepared@example.com');
    await squatter.send('PUT', '/api/auth/updatedetails', details('squatter-1@example.com'));
    const confirmToken = await linkTokenTo(shop, 'squatter-1@example.com', '/confirm-email');
    await buyAsGuest(createShopper(shop.url), { email: 'prepared@example.com', password: 'the-real-owner' });
    await claim(await claimTokenOf('prepared@example.com'));
    expect(await squatter.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 401 });
    expect(await findUser('prepared@example.com')).toMatchObject({ email_verified_at: expect.any(Date) });
  });

  it('does not get the email verified when the owner opens the attacker’s confirmation link', async () => {
    const email = 'careless@example.com';
    const squatter = await squat(email);
    await squatter.post('/api/auth/verifyemail');
    const confirmToken = await linkTokenTo(shop, email, '/confirm-email');
    const owner = createShopper(shop.url);
    expect(await owner.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 401 });
    await owner.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    expect(await owner.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 403 });
    const bought = await buyAsGuest(createShopper(shop.url), { email, password: 'the-real-owner' });
    expect(await itemsOf(squatter, bought.orderId)).toMatchObject({ status: 404 });
    expect(await findUser(email)).toMatchObject({ email_verified_at: null });
  });

  it('cannot get the owner’s items by changing the email of the account', async () => {
    const email = 'left-behind@example.com';
    const squatter = await squat(email);
    const bought = await buyAsGuest(createShopper(shop.url), { email, password: 'the-real-owner' });
    const claimToken = await claimTokenOf(email);
    await squatter.send('PUT', '/api/auth/updatedetails', details('squatter-2@example.com'));
    const confirmToken = await linkTokenTo(shop, 'squatter-2@example.com', '/confirm-email');
    expect(await squatter.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 200 });
    expect(await itemsOf(squatter, bought.orderId)).toMatchObject({ status: 404 });

    const claimed = await claim(claimToken);
    expect(claimed).toMatchObject({ status: 200, body: { user: { email, emailVerified: true } } });
    const owner = createShopper(shop.url);
    owner.setToken(claimed.body.token);
    expect((await itemsOf(owner, bought.orderId)).body.data).toMatchObject({
      items: [{ items: [{ content: bought.key }] }],
    });
  });

  it('loses the account to a password reset by the owner, who gets the items', async () => {
    const email = 'forgotten@example.com';
    const squatter = await squat(email);
    const bought = await buyAsGuest(createShopper(shop.url), { email, password: 'the-real-owner' });
    const owner = createShopper(shop.url);
    await owner.post('/api/auth/forgotpassword', { email });
    const resetToken = await linkTokenTo(shop, email, '/reset-password');
    await owner.post('/api/auth/resetpassword', { resetToken, password: 'the-real-owner' });
    expect(await squatter.get('/api/auth/me')).toMatchObject({ status: 401 });
    await owner.signIn(email, 'the-real-owner');
    expect((await itemsOf(owner, bought.orderId)).body.data).toMatchObject({
      items: [{ items: [{ content: bought.key }] }],
    });
  });

  it('gets no session with the checkout cookie after the claim, even with the owner’s password', async () => {
    const email = 'cookie@example.com';
    const squatter = await squat(email);
    await buyAsGuest(createShopper(shop.url), { email, password: 'the-real-owner' });
    await claim(await claimTokenOf(email));
    const answer = await squatter.post('/api/digital-orders/guest/checkout', { password: 'the-real-owner' });
    expect(answer).toMatchObject({ status: 200, body: { data: { access: 'sign-in' } } });
    expect(answer.body.data?.token).toBeUndefined();
  });
});

describe('the claim link in an order mail', () => {
  it('is invalid once the email is verified, and does not change the password', async () => {
    const email = 'two-mails@example.com';
    await squat(email);
    await buyAsGuest(createShopper(shop.url), { email, password: 'whatever-else' });
    const first = await claimTokenOf(email);
    await buyAsGuest(createShopper(shop.url), { email, password: 'whatever-else' });
    const second = await claimTokenOf(email);
    expect(await claim(second)).toMatchObject({ status: 200 });
    expect(await claim(first, 'out-of-the-trash')).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await createShopper(shop.url).signIn(email, 'the-real-owner')).toMatchObject({ status: 200 });
  });

  it('expires after a week', async () => {
    const email = 'late@example.com';
    await squat(email);
    await buyAsGuest(createShopper(shop.url), { email, password: 'whatever-else' });
    const claimToken = await claimTokenOf(email);
    shop.pass(7 * 24 * 3_600_000);
    expect(await claim(claimToken)).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
  });

  it('requires a password of 12 characters for an administrator', async () => {
    const { email } = await makeUser(shop.deps, { role: 'admin', email_verified_at: null });
    await buyAsGuest(createShopper(shop.url), { email, password: 'whatever-else' });
    const claimToken = await claimTokenOf(email);
    expect(await claim(claimToken, 'only eleven')).toMatchObject({ status: 400, body: { field: 'password' } });
    expect(await claim(claimToken, 'twelve chars')).toMatchObject({ status: 200 });
  });
});

it('an order that is paid while its email is being verified goes to the verified account', async () => {
  const quiet = await startTestShop({ deliverTestWebhooks: false });
  try {
    const { deps } = quiet;
    const user = await makeUser(deps, { email_verified_at: null });
    const product = await makeProduct(deps);
    const buyer = createShopper(quiet.url);
    const { body } = await buyer.openPayment([{ product, quantity: 1 }], { email: user.email });
    await buyer.confirmCard(body.clientSecret ?? '');
    const settling = await deps.db.transaction().execute(async (trx) => {
      await markEmailVerified(trx, { userId: user.id, email: user.email, now: deps.clock.now() });
      const settled = settleOrder(deps, body.orderId ?? '');
      await vi.waitFor(async () => expect(await countWaiting(deps.db)).toBe(1), { timeout: 10_000, interval: 20 });
      return { settled };
    });
    expect(await settling.settled).toMatchObject({ state: 'fulfilled', user_id: user.id });
  } finally {
    await quiet.stop();
  }
});

describe('the browser that paid', () => {
  it('gets the same order and a new session when it repeats the call', async () => {
    const buyer = createShopper(shop.url);
    const { placed, placeAgain } = await buyAsGuest(buyer, { email: 'twice@example.com', password: 'same-password' });
    const again = await placeAgain();
    expect(again.status).toBe(201);
    expect(again.body.data).toMatchObject({ _id: placed.body.data?._id, access: 'signed-in' });
  });

  it('can set the password later if its page was closed after the card was confirmed', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const opened = await buyer.openPayment([{ product, quantity: 1 }], { email: 'closed@example.com' });
    await buyer.confirmCard(opened.body.clientSecret ?? '');

    const found = await buyer.get('/api/digital-orders/guest/checkout');
    expect(found.body.data).toMatchObject({ orderId: opened.body.orderId, state: 'paid', needsPassword: true });
    const finished = await buyer.post('/api/digital-orders/guest/checkout', { password: 'chosen-afterwards' });
    expect(finished).toMatchObject({ status: 200, body: { data: { access: 'signed-in' } } });
    expect((await buyer.get('/api/digital-orders/guest/checkout')).body.data).toMatchObject({ needsPassword: false });
  });

  it('is required for a session: another browser with the intent’s id only finishes the order', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const who = { email: 'other-browser@example.com', password: 'whoever-i-am' };
    const opened = await buyer.openPayment([{ product, quantity: 1 }], who);
    await buyer.confirmCard(opened.body.clientSecret ?? '');
    const other = await createShopper(shop.url).placeOrder(
      [{ product, quantity: 1 }],
      opened.body.clientSecret ?? '',
      who,
    );
    expect(other.body.data).toMatchObject({ access: 'check-mail' });
    expect(other.body.data?.token).toBeUndefined();
  });
});

it('concurrent orders with one new email create one user, and all are delivered', async () => {
  const email = 'parallel@example.com';
  const bought = await Promise.all(
    Array.from({ length: 5 }, (_, n) => buyAsGuest(createShopper(shop.url), { email, password: `password-${n}` })),
  );
  expect(bought.map(({ placed }) => placed.body.data?.status)).toEqual(Array(5).fill('Delivered'));
  expect(bought.filter(({ placed }) => placed.body.data?.access === 'signed-in')).toHaveLength(1);
  const users = await shop.deps.db.selectFrom('users').select('id').where('email', '=', email).execute();
  expect(users).toHaveLength(1);
});

it('the response before the payment does not reveal whether the email has an account', async () => {
  const known = await makeUser(shop.deps);
  const product = await makeProduct(shop.deps, { items: 2 });
  const cart = [{ product, quantity: 1 }];
  const [forKnown, forUnknown] = await Promise.all([
    createShopper(shop.url).openPayment(cart, { email: known.email }),
    createShopper(shop.url).openPayment(cart, { email: 'never-seen@example.com' }),
  ]);
  const shape = (body: object) => Object.keys(body).sort();
  expect(shape(forKnown.body)).toEqual(shape(forUnknown.body));
  expect(forKnown.status).toBe(forUnknown.status);
});

it('the guest checkout refuses a common password', async () => {
  const buyer = createShopper(shop.url);
  const { placed } = await buyAsGuest(buyer, { email: 'common@example.com', password: 'password123' });
  expect(placed).toMatchObject({ status: 400, body: { field: 'guestPassword' } });
});

it('cookies that another host of the domain has set open no order of the browser', async () => {
  const secure = await startTestShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const checkout = '/api/digital-orders/guest/checkout';
  const sell = async () => [{ product: await makeProduct(secure.deps, { items: 1 }), quantity: 1 }];
  const attacker = createShopper(secure.url);
  await attacker.get(checkout);
  await attacker.openPayment(await sell(), { email: 'attacker@example.com' });
  const orderOfAttacker = attacker.cookies.get('__Host-checkout') ?? '';
  const [, secret = ''] = orderOfAttacker.split('.');
  // A cookie whose name begins with __Host- can only be set by the host itself.
  for (const [name, value] of [['checkoutSecret', secret] as const, ['checkout', orderOfAttacker] as const]) {
    const victim = createShopper(secure.url);
    victim.cookies.set(name, value);
    await victim.get(checkout);
    const { orderId } = (await victim.openPayment(await sell(), { email: `${name}@example.com` })).body;
    expect(victim.cookies.get('__Host-checkout')).toMatch(`${orderId}.`);
    for (const tried of ['checkoutSecret', '__Host-checkoutSecret']) {
      const thief = createShopper(secure.url);
      thief.cookies.set(tried, secret);
      expect((await thief.get(checkout)).body.data?.orderId).not.toBe(orderId);
    }
  }
  await secure.stop();
});
