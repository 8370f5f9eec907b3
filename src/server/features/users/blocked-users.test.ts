import { describe, expect, it } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { createLookupDesk } from '../../../../test/order-lookups.ts';
import { linkTokenTo, mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { makeUserWithTwoFactor } from '../../../../test/two-factor.ts';

const shop = await openTestShop({ settings: { OPEN_REGISTRATION: 'true' } });
const { browser: desk, user: boss } = await signedInUser(shop, { role: 'admin' });

const NEW_PASSWORD = 'another battery staple';
const BLOCKED = {
  status: 403,
  body: { code: 'ACCOUNT_BLOCKED', message: 'This account is blocked. Please contact support.' },
};
const setBlock = (id: string, body: object) => desk.send('PUT', `/api/admin/users/${id}/block`, body);
const block = (id: string) => setBlock(id, { blocked: true, reason: 'Chargebacks' });
const visitor = () => createShopper(shop.url);
const idOf = async (email: string) =>
  (await shop.deps.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id;

describe('a blocked user', () => {
  it('sees the block after the right password, but not after a wrong password', async () => {
    const { id, email } = await makeUser(shop.deps);
    const browser = visitor();
    await browser.signIn(email, TEST_PASSWORD);
    expect(await block(id)).toMatchObject({
      status: 200,
      body: { data: { blockedAt: expect.any(String), blockReason: 'Chargebacks', sessions: [] } },
    });
    expect((await browser.get('/api/auth/me')).status).toBe(401);
    expect(await visitor().signIn(email, TEST_PASSWORD)).toMatchObject(BLOCKED);
    const wrong = await visitor().signIn(email, 'wrong horse');
    const unknown = await visitor().signIn('nobody@example.com', 'wrong horse');
    expect({ ...wrong.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });

    expect(await setBlock(id, { blocked: false })).toMatchObject({ body: { data: { blockedAt: null } } });
    expect((await browser.get('/api/auth/me')).status).toBe(401);
    expect((await visitor().signIn(email, TEST_PASSWORD)).status).toBe(200);
    const log = await readAuditOf(shop.deps.db, id);
    expect(log.map(({ action, summary }) => [action, summary])).toEqual([
      ['user.blocked', `${email} is blocked: Chargebacks`],
      ['user.unblocked', `${email} may sign in again`],
    ]);
  });

  it('cannot use a token even if its session is still open', async () => {
    const { id, email } = await makeUser(shop.deps);
    const browser = visitor();
    await browser.signIn(email, TEST_PASSWORD);
    await shop.deps.db.updateTable('users').set({ blocked_at: new Date() }).where('id', '=', id).execute();
    expect((await browser.get('/api/auth/me')).status).toBe(401);
  });

  it('can neither finish a login that waits for its code nor begin another', async () => {
    const account = await makeUserWithTwoFactor(shop);
    const pending = await account.begin();
    await block(account.user.id);
    expect((await account.finish(pending, account.code())).status).toBe(401);
    expect(await visitor().signIn(account.user.email, TEST_PASSWORD)).toMatchObject(BLOCKED);
  });

  it('cannot sign in by a mailed link, whether it was sent before or after the block', async () => {
    const { id, email } = await makeUser(shop.deps, { email_verified_at: null });
    const browser = visitor();
    await browser.signIn(email, TEST_PASSWORD);
    await browser.post('/api/auth/verifyemail');
    const confirmToken = await linkTokenTo(shop, email, '/confirm-email');
    await visitor().post('/api/auth/forgotpassword', { email });
    const resetToken = await linkTokenTo(shop, email, '/reset-password');
    await block(id);
    const reset = () => visitor().post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
    expect(await reset()).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await browser.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 401 });

    const before = (await mailsTo(shop, email)).length;
    const asked = await visitor().post('/api/auth/forgotpassword', { email });
    expect(asked.body).toEqual((await visitor().post('/api/auth/forgotpassword', { email: 'no@example.com' })).body);
    expect((await mailsTo(shop, email)).length).toBe(before);

    // A link that was being created during the block exists, and opens nothing.
    await shop.deps.db.updateTable('verifications').set({ used_at: null }).where('user_id', '=', id).execute();
    expect(await reset()).toMatchObject(BLOCKED);
    await setBlock(id, { blocked: false });
    expect((await visitor().signIn(email, TEST_PASSWORD)).status).toBe(200);
  });

  it('cannot register again', async () => {
    const { id, email } = await makeUser(shop.deps);
    await block(id);
    const form = { name: 'Again', email, password: NEW_PASSWORD };
    expect(await visitor().post('/api/auth/register', form)).toMatchObject({ body: { code: 'EMAIL_TAKEN' } });
  });

  it('cannot sign in by the link of an order mail or after a payment, but can open the order by a code', async () => {
    const lookups = createLookupDesk(shop);
    const product = await makeProduct(shop.deps);
    const cart = [{ product, quantity: 1 }];
    const guest = { email: 'blocked-guest@example.com', password: NEW_PASSWORD };
    const browser = visitor();
    const { place } = await browser.authorise(cart, guest);
    const paid = await lookups.buy(guest.email);
    const claimToken = await linkTokenTo(shop, guest.email, '/claim');
    await block(await idOf(guest.email));

    const placed = await place();
    expect(placed).toMatchObject({ status: 201, body: { data: { access: expect.not.stringMatching('signed-in') } } });
    expect(placed.body.data).not.toHaveProperty('token');
    expect(await visitor().post('/api/auth/claim', { claimToken, password: NEW_PASSWORD })).toMatchObject(BLOCKED);

    const lookupId = await lookups.askFor(guest.email, paid.number);
    const opened = await lookups.open(lookupId, await lookups.codeOf(lookupId));
    expect(JSON.stringify(opened.body)).toContain(paid.key);
  });
});

describe('a block', () => {
  it('requires a reason and an existing user, and administrators cannot block themselves', async () => {
    const { id } = await makeUser(shop.deps);
    expect(await setBlock(id, { blocked: true })).toMatchObject({ status: 400, body: { field: 'reason' } });
    expect(await block(boss.id)).toMatchObject({ status: 400, body: { message: 'You cannot block yourself' } });
    expect(await block(crypto.randomUUID())).toMatchObject({ status: 404 });
    expect((await desk.get('/api/auth/me')).status).toBe(200);
  });

  it('is blocked once by two calls with one reason, and the log has each other reason', async () => {
    const { id } = await makeUser(shop.deps);
    for (const { status } of await Promise.all([block(id), block(id)])) expect(status).toBe(200);
    await setBlock(id, { blocked: true, reason: 'Resells keys' });
    const log = await readAuditOf(shop.deps.db, id);
    expect(log.map(({ summary }) => summary.split(': ')[1])).toEqual(['Chargebacks', 'Resells keys']);
  });

  it('with another reason replaces the reason, and keeps the time since which the user is blocked', async () => {
    const { id } = await makeUser(shop.deps);
    const first = (await block(id)).body.data?.['blockedAt'];
    shop.pass(60_000);
    const { body } = await setBlock(id, { blocked: true, reason: 'Resells keys' });
    expect(body.data).toMatchObject({ blockedAt: first, blockReason: 'Resells keys' });
  });

  it('also ends the sessions of an administrator', async () => {
    const { id, email } = await makeUser(shop.deps, { role: 'admin' });
    const other = visitor();
    await other.signIn(email, TEST_PASSWORD);
    expect((await block(id)).status).toBe(200);
    expect((await other.send('PUT', `/api/admin/users/${boss.id}/role`, { role: 'customer' })).status).toBe(401);
  });
});
