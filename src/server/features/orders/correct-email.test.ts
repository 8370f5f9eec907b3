import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeGoods, makeProduct, makeUser } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { createLookupDesk } from '../../../../test/order-lookups.ts';
import { type Bought, buyAsCustomer, buyAsGuest } from '../../../../test/purchases.ts';
import { holdMailJobs, linkTokenTo, mailsTo, unsentMailTo, whileSending } from '../../../../test/sent-mails.ts';
import { createShopper, GUEST_PASSWORD, type Shopper } from '../../../../test/shopper.ts';
import { changeEmail, signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { makeUserWithTwoFactor } from '../../../../test/two-factor.ts';
import type { AdminOrderPage } from '../../../shared/admin-orders.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { insertUserIfNew } from '../accounts/accounts.queries.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { reconcilePayments } from '../checkout/reconcile-payments.ts';
import { lockOrder } from './orders.queries.ts';

const STEP_MS = 30_000;
const REASON = 'Mistyped at the checkout';

const shop = await openTestShop();
const lookups = createLookupDesk(shop);
const admin = await makeUserWithTwoFactor(shop, { role: 'admin' });
const other = await makeUserWithTwoFactor(shop, { role: 'admin' });
beforeEach(() => shop.pass(STEP_MS));

const newEmail = () => `right-${randomUUID()}@example.com`;
async function correct(orderId: string, email: string, by = admin, code = by.code()) {
  const answer = await by.shopper.post(`/api/admin/orders/${orderId}/correct-email`, { email, reason: REASON, code });
  return { ...answer, page: answer.body.data as unknown as AdminOrderPage };
}
const pageOf = async (orderId: string) =>
  (await admin.shopper.get(`/api/admin/orders/${orderId}`)).body.data as unknown as AdminOrderPage;
const orderOf = (id: string) =>
  shop.deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const userOf = (email: string) =>
  shop.deps.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
const itemsFor = ({ buyer, orderId }: Pick<Bought, 'buyer' | 'orderId'>) =>
  buyer.get(`/api/digital-orders/${orderId}/items`);
/** An order of a guest who left before choosing a password: the mail has a link to claim the account. */
async function buyWithoutPassword() {
  const email = `wrong-${randomUUID()}@example.com`;
  return { email, ...(await lookups.buy(email)) };
}
/** Claims the account with the link of a mail, as the reader of that mail does. */
async function claim(token: string) {
  const buyer = createShopper(shop.url);
  const answer = await buyer.post('/api/auth/claim', { claimToken: token, password: 'a-new-password-1' });
  buyer.setToken(answer.body.token);
  return { ...answer, buyer };
}

describe('an email correction', () => {
  test('moves the order to the new address, whose link opens the items after one hour', async () => {
    const bought = await buyAsGuest(shop, { quantity: 1 });
    const { orderId, guest, buyer, products } = bought;
    const email = newEmail();
    expect(await pageOf(orderId)).toMatchObject({ emailCorrectable: true, itemsOpenAt: null });

    const earliest = shop.deps.clock.now().getTime() + HOUR_MS;
    const { status, page } = await correct(orderId, `  ${email.toUpperCase()} `);
    expect(status).toBe(200);
    const opensAt = Date.parse(page.itemsOpenAt ?? '');
    expect(page.contactEmail).toBe(email);
    expect(opensAt).toBeGreaterThanOrEqual(earliest);
    expect(opensAt).toBeLessThanOrEqual(shop.deps.clock.now().getTime() + HOUR_MS);
    expect(page.timeline.find(({ kind }) => kind === 'email-corrected')?.text).toContain(
      `from ${guest.email} to ${email}: ${REASON} (by ${admin.user.email})`,
    );

    // Session and password of the old address end, and the browser that paid is no longer bound to the order.
    expect((await buyer.get('/api/auth/me')).status).toBe(401);
    expect((await createShopper(shop.url).signIn(guest.email, GUEST_PASSWORD)).status).toBe(401);
    expect((await createShopper(shop.url).signIn(email, GUEST_PASSWORD)).status).toBe(401);
    expect(await userOf(guest.email)).toBeUndefined();
    expect((await orderOf(orderId)).checkout_hash).toBeNull();

    // Both addresses get a mail; the one to the old address names neither the new address nor what was bought.
    const [toOld] = (await mailsTo(shop, guest.email)).slice(-1);
    expect(toOld?.text).toContain('corrected');
    expect(toOld?.text).not.toContain(email);
    expect(toOld?.text).not.toContain(products[0]?.name);
    const claimed = await claim(await linkTokenTo(shop, email, '/claim'));
    expect(claimed.status).toBe(200);
    const early = await itemsFor({ buyer: claimed.buyer, orderId });
    expect([early.status, early.body.code]).toEqual([409, 'ITEM_NOT_AVAILABLE']);
    expect(await claimed.buyer.readKeys(orderId)).toEqual([]);
    shop.pass(HOUR_MS);
    expect(await claimed.buyer.readKeys(orderId)).toEqual(products[0]?.keys);
    expect(await pageOf(orderId)).toMatchObject({ emailCorrectable: false });
  });

  test('ends the links and codes mailed to the old address', async () => {
    const { orderId, number, email: old } = await buyWithoutPassword();
    const link = await linkTokenTo(shop, old, '/claim');
    const lookup = await lookups.askFor(old, number);
    const code = await lookups.codeOf(lookup);
    const email = newEmail();
    await correct(orderId, email);
    expect((await claim(link)).body.code).toBe('LINK_INVALID');
    expect((await lookups.open(lookup, code)).body.code).toBe('INVALID_CODE');
    expect(await lookups.mailOf(await lookups.askFor(old, number))).toBeUndefined();

    // A code mailed to the new address opens the order at once, and its items an hour later.
    const open = async () => {
      const id = await lookups.askFor(email, number);
      return (await lookups.open(id, await lookups.codeOf(id))).body.data?.['delivered'];
    };
    expect(await open()).toBeNull();
    shop.pass(HOUR_MS);
    expect(await open()).toMatchObject({ items: [{ items: [{}] }] });
  });

  test('gives the order to a verified account, but leaves it unowned for an unverified account', async () => {
    const [known, unknown] = [
      await makeUser(shop.deps),
      await makeUser(shop.deps, { email: newEmail(), email_verified_at: null }),
    ];
    const [one, two] = [await buyAsGuest(shop, { quantity: 1 }), await buyAsGuest(shop, { quantity: 1 })];
    await correct(one.orderId, known.email);
    shop.pass(STEP_MS);
    await correct(two.orderId, unknown.email);
    expect(await orderOf(one.orderId)).toMatchObject({ user_id: known.id, made_account: false });
    expect(await orderOf(two.orderId)).toMatchObject({ user_id: null, made_account: false });
    // The old account stays without its order, and its password no longer signs in.
    expect((await createShopper(shop.url).signIn(one.guest.email, GUEST_PASSWORD)).status).toBe(401);
  });

  test('leaves an order unowned while another account can return to the address, and later makes a new account', async () => {
    const { user, browser } = await signedInUser(shop, { email: newEmail() });
    const next = newEmail();
    await changeEmail(browser, next);
    await browser.post('/api/auth/confirmemail', { confirmToken: await linkTokenTo(shop, next, '/confirm-email') });
    const [one, two] = [await buyAsGuest(shop, { quantity: 1 }), await buyAsGuest(shop, { quantity: 1 })];
    expect(await correct(one.orderId, user.email)).toMatchObject({ status: 200, page: { contactEmail: user.email } });
    expect(await orderOf(one.orderId)).toMatchObject({ user_id: null, made_account: false });
    expect(await userOf(user.email)).toBeUndefined();

    const ended = shop.deps.db.updateTable('verifications').set({ expires_at: shop.deps.clock.now() });
    await ended.where('user_id', '=', user.id).where('purpose', '=', 'email-undo').execute();
    shop.pass(STEP_MS);
    expect((await correct(two.orderId, user.email)).status).toBe(200);
    expect(await orderOf(two.orderId)).toMatchObject({ user_id: (await userOf(user.email))?.id, made_account: true });
  });

  test('keeps an order of physical goods in the reconciliation with the provider', async () => {
    const product = await makeGoods(shop.deps, 'physical', 1);
    const guest = { email: newEmail(), password: GUEST_PASSWORD };
    const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], guest);
    expect((await correct(orderId, newEmail())).status).toBe(200);
    const { payment_intent_id: intentId } = await orderOf(orderId);
    await shop.deps.db.deleteFrom('test_mode_intents').where('id', '=', intentId).execute();
    await reconcilePayments(shop.deps);
    const alerts = shop.deps.db.selectFrom('alerts').select('kind').where('order_id', '=', orderId);
    expect(await alerts.execute()).toEqual([{ kind: 'payment-not-found' }]);
  });

  test('by two administrators at once ends at one address, which alone can open the order', async () => {
    const { orderId, guest } = await buyAsGuest(shop, { quantity: 1 });
    const [first, second] = [newEmail(), newEmail()];
    const answers = await Promise.all([correct(orderId, first), correct(orderId, second, other)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true);
    const { contact_email: email, user_id: owner } = await orderOf(orderId);
    expect([first, second]).toContain(email);
    expect((await userOf(email))?.id).toBe(owner);
    expect((await claim(await linkTokenTo(shop, email, '/claim'))).status).toBe(200);
    expect(await userOf(guest.email)).toBeUndefined();
  });

  test('at the same time as a claim by the old address lets exactly one of them succeed', async () => {
    for (let round = 0; round < 5; round += 1) {
      shop.pass(STEP_MS);
      const { orderId, email: old } = await buyWithoutPassword();
      const token = await linkTokenTo(shop, old, '/claim');
      const email = newEmail();
      const [claimed, corrected] = await Promise.all([claim(token), correct(orderId, email)]);
      expect([claimed.status, corrected.status].filter((status) => status === 200)).toHaveLength(1);
      const { contact_email } = await orderOf(orderId);
      expect(contact_email).toBe(corrected.status === 200 ? email : old);
      const { body } = await claimed.buyer.get('/api/digital-orders/myorders');
      if (corrected.status === 200) expect(body.data ?? []).toEqual([]);
    }
  });

  test('does not wait for a claim that has locked its link and waits for the account', async () => {
    const { orderId, email: old } = await buyWithoutPassword();
    const token = await linkTokenTo(shop, old, '/claim');
    const { status } = await shop.deps.db.transaction().execute(async (trx) => {
      await trx.selectFrom('verifications').select('id').where('order_id', '=', orderId).forUpdate().execute();
      return correct(orderId, newEmail());
    });
    expect(status).toBe(200);
    expect((await claim(token)).body.code).toBe('LINK_INVALID');
  });
});

describe('a review by the old account', () => {
  const reviewsOf = (productId: string) =>
    shop.deps.db
      .selectFrom('reviews')
      .select(['user_id', 'order_line_id'])
      .where('product_id', '=', productId)
      .execute();
  const review = (by: Shopper, product: string) =>
    by.send('PUT', `/api/my-reviews/${product}`, { stars: 1, title: '', text: 'Never again' });
  async function buyAndReview() {
    const { user, browser } = await signedInUser(shop);
    const { products, orderId, buyer, guest } = await buyAsGuest(shop, { quantity: 1, items: 3 });
    const [product] = products;
    if (!product) throw new Error('There is no product');
    expect((await review(buyer, product.id)).status).toBe(200);
    return { product, orderId, buyer, guest, user, browser };
  }

  test('is removed when the purchase moves to another account, so that a purchase has one review', async () => {
    const { product, orderId, user, browser } = await buyAndReview();
    const rating = { review_count: 1, rating_tenths: 10 };
    const shown = shop.deps.db.updateTable('reviews').set({ state: 'published' });
    await shown.where('product_id', '=', product.id).execute();
    await shop.deps.db.updateTable('products').set(rating).where('id', '=', product.id).execute();
    expect((await correct(orderId, user.email)).status).toBe(200);
    expect(await reviewsOf(product.id)).toEqual([]);
    const products = shop.deps.db.selectFrom('products').select(['review_count', 'rating_tenths']);
    expect(await products.where('id', '=', product.id).execute()).toEqual([{ review_count: 0, rating_tenths: 0 }]);
    expect((await review(browser, product.id)).status).toBe(200);
    expect(await reviewsOf(product.id)).toMatchObject([{ user_id: user.id }]);
  });

  test('stays if the old account has another purchase of the product', async () => {
    const { product, orderId, guest, user } = await buyAndReview();
    const again = await createShopper(shop.url).buy([{ product, quantity: 1 }], guest);
    const old = (await orderOf(orderId)).user_id;
    await shop.deps.db.updateTable('orders').set({ user_id: old }).where('id', '=', again.orderId).execute();
    expect((await correct(orderId, user.email)).status).toBe(200);
    const line = shop.deps.db.selectFrom('order_lines').select('id').where('order_id', '=', again.orderId);
    const { id } = await line.executeTakeFirstOrThrow();
    expect(await reviewsOf(product.id)).toEqual([{ user_id: old, order_line_id: id }]);
  });
});

describe('during a correction to the email of another account,', () => {
  const calls: [string, (bought: Bought, item: string) => Promise<unknown>][] = [
    ['cancels', ({ buyer, orderId }) => buyer.post(`/api/orders/mine/${orderId}/cancel`)],
    [
      'reports an item of',
      ({ buyer, orderId }, item) =>
        buyer.post('/api/problem-reports', { order: orderId, item, problem: 'used', text: 'No', draft: randomUUID() }),
    ],
  ];

  test.each(calls)('the old account no longer %s the order', async (_, call) => {
    const { id: owner, email } = await makeUser(shop.deps);
    const bought = await buyAsGuest(shop, { quantity: 1, warranty_days: 30 });
    const { orderId } = bought;
    const item = (await pageOf(orderId)).lines[0]?.items[0]?._id ?? '';
    const [corrected, late] = await startWhileLocked<unknown>(shop.deps.db, (trx) => lockOrder(trx, orderId), [
      () => correct(orderId, email),
      () => call(bought, item),
    ]);
    expect(corrected).toMatchObject({ status: 200 });
    expect(late).toMatchObject({ status: 404 });
    expect(await orderOf(orderId)).toMatchObject({ user_id: owner, state: 'fulfilled' });
    const reports = shop.deps.db.selectFrom('problem_reports').select('id').where('order_id', '=', orderId);
    expect(await reports.execute()).toEqual([]);
  });
});

test('a correction is refused if the address gets an account meanwhile; a retry with the same code succeeds', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 1 });
  const [email, code] = [newEmail(), admin.code()];
  const now = shop.deps.clock.now();
  const account = {
    id: randomUUID(),
    email,
    email_verified_at: now,
    name: 'New',
    password_hash: null,
    created_at: now,
  };
  const register = (trx: Transaction) => insertUserIfNew(trx, account);
  const [late] = await startWhileLocked(shop.deps.db, register, [() => correct(orderId, email, admin, code)]);
  expect(late).toMatchObject({ status: 409, body: { code: 'TRANSITION_REFUSED' } });
  expect((await correct(orderId, email, admin, code)).status).toBe(200);
  expect(await orderOf(orderId)).toMatchObject({ user_id: account.id });
});

describe('an account of the new address during a correction', () => {
  test('waits for the correction if it returns to the address, and gets the order', async () => {
    const { user, browser } = await signedInUser(shop, { email: newEmail() });
    const next = newEmail();
    await changeEmail(browser, next);
    await browser.post('/api/auth/confirmemail', { confirmToken: await linkTokenTo(shop, next, '/confirm-email') });
    const undoToken = await linkTokenTo(shop, user.email, '/undo-email');
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    const answers = await startWhileLocked<unknown>(shop.deps.db, lockAndFindLastEntry, [
      () => correct(orderId, user.email),
      () => createShopper(shop.url).post('/api/auth/undoemail', { undoToken }),
    ]);
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(await orderOf(orderId)).toMatchObject({ user_id: user.id });
  });

  test('makes the correction fail if it was created after the correction began', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    const [email, code] = [newEmail(), admin.code()];
    const [late] = await startWhileLocked(
      shop.deps.db,
      (trx) => lockOrder(trx, orderId),
      [() => correct(orderId, email, admin, code)],
      () => makeUser(shop.deps, { email, email_verified_at: null }),
    );
    expect(late).toMatchObject({ status: 409, body: { code: 'TRANSITION_REFUSED' } });
    expect((await correct(orderId, email, admin, code)).status).toBe(200);
    expect(await orderOf(orderId)).toMatchObject({ contact_email: email, user_id: null });
  });
});

test('a slow mail server does not delay a correction, and the claim link in the mail being sent is void', async () => {
  await holdMailJobs(shop);
  const { orderId, email: old } = await buyWithoutPassword();
  const email = newEmail();
  const mailId = await unsentMailTo(shop, old);
  const corrected = await whileSending(shop, mailId, () => correct(orderId, email));
  expect(corrected.status).toBe(200);
  const links = shop.deps.db.selectFrom('verifications').select('used_at').where('mail_id', '=', mailId);
  expect(await links.execute()).toEqual([{ used_at: expect.any(Date) }]);
  expect((await claim(await linkTokenTo(shop, email, '/claim'))).status).toBe(200);
});

describe('a correction is refused', () => {
  const REFUSED = { status: 409, body: { code: 'TRANSITION_REFUSED' } };

  test('once an item was seen or the address is verified, or for the order of an account', async () => {
    const seen = await buyAsGuest(shop, { quantity: 1 });
    await seen.keys();
    expect(await correct(seen.orderId, newEmail())).toMatchObject(REFUSED);

    const proven = await buyWithoutPassword();
    await claim(await linkTokenTo(shop, proven.email, '/claim'));
    shop.pass(STEP_MS);
    expect(await correct(proven.orderId, newEmail())).toMatchObject(REFUSED);

    const customer = await makeUser(shop.deps, { email_verified_at: null });
    const { products } = await buyAsGuest(shop, { quantity: 1, items: 2 });
    const [product] = products;
    if (!product) throw new Error('There is no product');
    const ofCustomer = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
    shop.pass(STEP_MS);
    expect(await correct(ofCustomer, newEmail())).toMatchObject(REFUSED);
    expect(await pageOf(ofCustomer)).toMatchObject({ emailCorrectable: false });
  });

  test('once an item was reported, as the new owner would read the report', async () => {
    const { email } = await makeUser(shop.deps);
    const { orderId, buyer, guest } = await buyAsGuest(shop, { quantity: 1, warranty_days: 30 });
    const item = (await pageOf(orderId)).lines[0]?.items[0]?._id ?? '';
    const report = { order: orderId, item, problem: 'region', text: 'My words', draft: randomUUID() };
    expect((await buyer.post('/api/problem-reports', report)).status).toBe(201);
    expect((await buyer.post(`/api/problem-reports/${report.draft}/withdraw`)).status).toBe(200);
    expect(await correct(orderId, email)).toMatchObject(REFUSED);
    expect(await pageOf(orderId)).toMatchObject({ emailCorrectable: false });
    expect((await orderOf(orderId)).contact_email).toBe(guest.email);
  });

  test('once the account has bought again, as its buyer would lose the later order', async () => {
    const { orderId, buyer, guest } = await buyAsGuest(shop, { quantity: 1 });
    const second = await buyer.buy([{ product: await makeProduct(shop.deps), quantity: 1 }]);
    expect(await correct(orderId, newEmail())).toMatchObject(REFUSED);
    expect(await pageOf(orderId)).toMatchObject({ emailCorrectable: false });
    expect((await itemsFor({ buyer, orderId: second.orderId })).status).toBe(200);
    expect((await createShopper(shop.url).signIn(guest.email, guest.password)).status).toBe(200);
  });

  test('without two-factor or a valid code, for the same or an invalid address, or for an unknown order', async () => {
    const { orderId, guest } = await buyAsGuest(shop, { quantity: 1 });
    expect((await correct(orderId, newEmail(), admin, '000000')).body.code).toBe('INVALID_CODE');
    expect(await correct(orderId, guest.email)).toMatchObject(REFUSED);
    expect((await correct(orderId, 'no address')).status).toBe(400);
    expect((await correct(randomUUID(), newEmail())).status).toBe(404);
    const plain = createShopper(shop.url);
    const { email } = await makeUser(shop.deps, { role: 'admin' });
    await plain.signIn(email, 'correct horse battery');
    const body = { email: newEmail(), reason: REASON, code: '000000' };
    const answer = await plain.post(`/api/admin/orders/${orderId}/correct-email`, body);
    expect(answer.body.code).toBe('TWO_FACTOR_NOT_SET_UP');
    expect((await orderOf(orderId)).contact_email).toBe(guest.email);
  });
});
