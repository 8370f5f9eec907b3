import { describe, expect, it } from 'vitest';
import { releaseOrder } from '../../src/server/features/checkout/release-order.ts';
import { settleOrder } from '../../src/server/features/checkout/settle-order.ts';
import { HOUR_MS } from '../../src/shared/durations.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { linkTokenTo, mailsTo } from '../sent-mails.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

// A guest has paid with the e-mail of an account that never verified it: who learns of the order, and who does not.

const shop = await openTestShop({ settings: { RATE_LIMITS: 'on' } });

const CHECKOUT = '/api/digital-orders/guest/checkout';
const WAITING = '/api/digital-orders/guest/waiting';
const LINK = `${WAITING}/verify-link`;

/** `email` belongs to an account that somebody else made and is signed in to; `buyer` then pays with that address. */
async function payWithUnverified(email: string) {
  const account = await makeUser(shop.deps, { email, email_verified_at: null });
  const elsewhere = createShopper(shop.url);
  await elsewhere.signIn(email, TEST_PASSWORD);
  const before = await seenBy(elsewhere);

  const product = await makeProduct(shop.deps, { items: 1 });
  const buyer = createShopper(shop.url);
  const cart = [{ product, quantity: 1 }];
  const { orderId, place } = await buyer.authorise(cart, { email, password: 'a-password-of-mine' });
  return { account, elsewhere, before, buyer, orderId, place, key: product.keys[0] ?? '' };
}

/** Returns every answer to a browser that could reveal an order. */
async function seenBy(browser: Shopper) {
  const paths = ['/api/auth/me', '/api/digital-orders/myorders', '/api/orders/myorders', CHECKOUT, WAITING];
  const answers = await Promise.all(paths.map((path) => browser.get(path)));
  return answers.map(({ status, body }) => ({ status, data: body.data }));
}

describe('the browser that paid', () => {
  it('learns that the order waits, before and after it has left the checkout, until the address is verified', async () => {
    const { buyer, place, orderId, account, key } = await payWithUnverified('told@example.com');
    expect((await place()).body.data).toMatchObject({ access: 'check-mail' });
    expect((await buyer.get(CHECKOUT)).body.data).toMatchObject({ state: 'waiting', needsPassword: false });

    await buyer.send('DELETE', CHECKOUT);
    expect((await buyer.get(CHECKOUT)).body.data).toBeNull();
    expect((await buyer.get(WAITING)).body.data).toEqual({ orderId, email: account.email });

    const mail = (await mailsTo(shop, account.email)).at(-1);
    expect(mail?.subject).toMatch(/^Verify your email to open your order [0-9A-F]{8}$/);
    expect(mail?.text).toContain('A paid order is waiting');
    expect(mail?.text).not.toMatch(/is ready|delivered|simply sign in/);
    expect(mail?.text).not.toContain(key);

    const claimToken = await linkTokenTo(shop, account.email, '/claim');
    const claimed = await createShopper(shop.url).post('/api/auth/claim', { claimToken, password: 'the-real-owner' });
    expect(claimed.status).toBe(200);
    expect((await buyer.get(WAITING)).body.data).toBeNull();
    expect(buyer.cookies.get('checkout')).toBe('');
  });

  it('has the link mailed again, three times an hour, and each link opens the order', async () => {
    const { buyer, place, account } = await payWithUnverified('again@example.com');
    await place();
    const first = await linkTokenTo(shop, account.email, '/claim');
    for (const _ of [1, 2, 3]) expect(await buyer.post(LINK)).toMatchObject({ status: 200 });
    expect(await buyer.post(LINK)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const mails = await mailsTo(shop, account.email);
    expect(mails).toHaveLength(4);

    shop.pass(HOUR_MS);
    expect(await buyer.post(LINK)).toMatchObject({ status: 200 });
    const last = await linkTokenTo(shop, account.email, '/claim');
    expect(last).not.toBe(first);
    const claimed = await buyer.post('/api/auth/claim', { claimToken: last, password: 'the-real-owner' });
    expect(claimed).toMatchObject({ status: 200, body: { user: { emailVerified: true } } });
    expect(await buyer.post(LINK)).toMatchObject({ status: 404 });
  });

  it('finds that the order waits when its page was closed before the shop answered', async () => {
    const { buyer, place, orderId } = await payWithUnverified('closed-page@example.com');
    const other = createShopper(shop.url);
    other.cookies.set('checkout', buyer.cookies.get('checkout') ?? '');
    await place();
    expect((await other.get(CHECKOUT)).body.data).toMatchObject({ orderId, state: 'waiting' });
  });

  it('can pay another order while the first one waits', async () => {
    const { buyer, place } = await payWithUnverified('goes-on@example.com');
    await place();
    await buyer.send('DELETE', CHECKOUT);
    const product = await makeProduct(shop.deps, { items: 1 });
    const opened = await buyer.openPayment([{ product, quantity: 1 }], { email: 'somebody@example.com' });
    expect(opened.status).toBe(200);
    expect((await buyer.get(CHECKOUT)).body.data).toMatchObject({ orderId: opened.body.orderId, state: 'open' });
  });
});

describe('an unverified account that is signed in elsewhere', () => {
  it('sees exactly what it saw before, opens nothing and triggers no mail', async () => {
    const { elsewhere, before, place, orderId, account } = await payWithUnverified('elsewhere@example.com');
    await place();
    expect(await seenBy(elsewhere)).toEqual(before);
    expect(await elsewhere.get(`/api/digital-orders/${orderId}/items`)).toMatchObject({ status: 404 });
    expect(await elsewhere.post(LINK)).toMatchObject({ status: 404 });
    expect(await mailsTo(shop, account.email)).toHaveLength(1);
  });

  it('gets the order by confirming its address in its own session', async () => {
    const { elsewhere, place, orderId, account, key, buyer } = await payWithUnverified('confirms@example.com');
    await place();
    await buyer.send('DELETE', CHECKOUT);
    await elsewhere.post('/api/auth/verifyemail');
    const confirmToken = await linkTokenTo(shop, account.email, '/confirm-email');
    expect(await elsewhere.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 200 });
    const { body } = await elsewhere.get(`/api/digital-orders/${orderId}/items`);
    expect(body.data).toMatchObject({ items: [{ items: [{ content: key }] }] });
    expect((await buyer.get(WAITING)).body.data).toBeNull();
  });
});

describe('a stranger', () => {
  it('is answered as if there were neither an account nor an order', async () => {
    const { place, orderId } = await payWithUnverified('stranger@example.com');
    const stranger = createShopper(shop.url);
    await place();
    for (const cookie of ['', `checkout=${orderId}.${'A'.repeat(43)}`, `checkout=${orderId}.${'A'.repeat(43)}.seen`]) {
      const headers = { cookie };
      expect(await stranger.send('GET', WAITING, undefined, headers)).toMatchObject({
        status: 200,
        body: { data: null },
      });
      expect(await stranger.send('GET', CHECKOUT, undefined, headers)).toMatchObject({ body: { data: null } });
      expect(await stranger.send('POST', LINK, undefined, headers)).toMatchObject({ status: 404 });
    }
  });
});

describe('the next person at the computer', () => {
  /** A customer whose order the shop has finished, in a browser that has not seen it yet. */
  async function payUnseen() {
    const account = await makeUser(shop.deps);
    const browser = createShopper(shop.url);
    await browser.signIn(account.email, TEST_PASSWORD);
    const { orderId } = await browser.authorise([{ product: await makeProduct(shop.deps), quantity: 1 }]);
    await settleOrder(shop.deps, orderId);
    expect((await browser.get(CHECKOUT)).body.data).toMatchObject({ state: 'paid', guest: false });
    return { account, browser };
  }

  it('learns nothing of the order of a customer who has logged out', async () => {
    const { browser } = await payUnseen();
    await browser.post('/api/auth/logout');
    expect((await browser.get(CHECKOUT)).body.data).toBeNull();
    expect((await browser.get(`${CHECKOUT}/payment`)).body.data).toBeNull();
  });

  it('learns nothing of the order of another customer after signing in, who learns of it after signing in again', async () => {
    const { account, browser } = await payUnseen();
    await browser.signIn(account.email, TEST_PASSWORD);
    expect((await browser.get(CHECKOUT)).body.data).toMatchObject({ state: 'paid' });
    await browser.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    expect((await browser.get(CHECKOUT)).body.data).toBeNull();
  });

  it('learns nothing of the unpaid order of a customer who has left, once another has signed in', async () => {
    const [first, second] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    const browser = createShopper(shop.url);
    await browser.signIn(first.email, TEST_PASSWORD);
    const { orderId } = (await browser.openPayment([{ product: await makeProduct(shop.deps), quantity: 1 }])).body;
    await releaseOrder(shop.deps, orderId ?? '', 'abandoned');
    await browser.post('/api/auth/logout');
    await browser.signIn(second.email, TEST_PASSWORD);
    expect((await browser.get(CHECKOUT)).body.data).toBeNull();
  });

  it('learns of the order of a guest, which no logout forgets', async () => {
    const { buyer, place, orderId } = await payWithUnverified('guest-waits@example.com');
    await place();
    await buyer.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    await buyer.post('/api/auth/logout');
    expect((await buyer.get(WAITING)).body.data).toMatchObject({ orderId });
  });
});
