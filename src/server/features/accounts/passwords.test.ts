import { describe, expect, it } from 'vitest';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { inTurn } from '../../../../test/locks.ts';
import { linkTokenTo, mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop, startTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { updatePassword } from './change-password.ts';

const shop = await openTestShop();

const NEW_PASSWORD = 'another battery staple';

async function signedIn(overrides: Parameters<typeof makeUser>[1] = {}): Promise<{ user: UserRow; browser: Shopper }> {
  const user = await makeUser(shop.deps, overrides);
  const browser = createShopper(shop.url);
  await browser.signIn(user.email, TEST_PASSWORD);
  return { user, browser };
}

const change = (browser: Shopper, currentPassword: string, newPassword = NEW_PASSWORD) =>
  browser.send('PUT', '/api/auth/updatepassword', { currentPassword, newPassword });

const forget = (email: string) => createShopper(shop.url).post('/api/auth/forgotpassword', { email });
const reset = (resetToken: string, password = NEW_PASSWORD) =>
  createShopper(shop.url).post('/api/auth/resetpassword', { resetToken, password });
const resetTokenTo = (email: string) => linkTokenTo(shop, email, '/reset-password');
const signIn = async (email: string, password: string) =>
  (await createShopper(shop.url).signIn(email, password)).status;

describe('a password change', () => {
  it('ends the other sessions, keeps the current one, and sends a mail', async () => {
    const { user, browser } = await signedIn();
    const other = createShopper(shop.url);
    await other.signIn(user.email, TEST_PASSWORD);

    const changed = await change(browser, TEST_PASSWORD);
    expect(changed).toMatchObject({ status: 200, body: { success: true } });
    browser.setToken(changed.body.token);
    expect(await browser.get('/api/auth/me')).toMatchObject({ status: 200 });
    expect(await other.get('/api/auth/me')).toMatchObject({ status: 401 });
    expect(await signIn(user.email, TEST_PASSWORD)).toBe(401);
    expect(await signIn(user.email, NEW_PASSWORD)).toBe(200);

    const [mail, ...more] = await mailsTo(shop, user.email);
    expect(mail).toMatchObject({ subject: 'Your password was changed' });
    expect(mail?.text).toContain(shop.deps.config.contact.email);
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/token=|battery/);
    expect(more).toEqual([]);
  });

  it('needs the current password; a wrong one changes nothing and ends no session', async () => {
    const { user, browser } = await signedIn();
    expect(await change(browser, 'wrong horse')).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', field: 'currentPassword', message: 'Current password is incorrect' },
    });
    expect(await browser.get('/api/auth/me')).toMatchObject({ status: 200 });
    expect(await signIn(user.email, TEST_PASSWORD)).toBe(200);
  });

  it('can be retried after a lost response, but only in the same session with the same passwords', async () => {
    const { user, browser } = await signedIn();
    const { status, body } = await change(browser, TEST_PASSWORD);
    expect(status).toBe(200);
    // Sent again with the token of before, as the response with the new one was lost.
    const again = await change(browser, TEST_PASSWORD);
    expect(again).toMatchObject({ status: 200, body: { token: expect.any(String) } });
    expect(await mailsTo(shop, user.email)).toHaveLength(1);
    expect(await change(browser, TEST_PASSWORD, 'some other new one')).toMatchObject({
      status: 400,
      body: { field: 'currentPassword', message: 'Current password is incorrect' },
    });

    const other = createShopper(shop.url);
    await other.signIn(user.email, NEW_PASSWORD);
    expect(await change(other, TEST_PASSWORD)).toMatchObject({ status: 400, body: { field: 'currentPassword' } });
    browser.setToken(body.token);
    expect(await signIn(user.email, NEW_PASSWORD)).toBe(200);
  });

  it('succeeds for a duplicate request that waited for the first', async () => {
    const { user, browser } = await signedIn();
    const twice = [() => change(browser, TEST_PASSWORD), () => change(browser, TEST_PASSWORD)];
    expect((await inTurn(shop.deps.db, user.id, twice)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await mailsTo(shop, user.email)).toHaveLength(1);
  });

  it.each([
    ['short', '12345', 'Password must be at least 6 characters'],
    ['common', 'Password123', 'This password is too common, please choose another'],
    ['endless', 'x'.repeat(201), 'Password must be at most 200 characters'],
  ])('rejects a new password that is %s', async (_, newPassword, message) => {
    const { user, browser } = await signedIn();
    expect(await change(browser, TEST_PASSWORD, newPassword)).toMatchObject({
      status: 400,
      body: { field: 'newPassword', message },
    });
    expect(await signIn(user.email, TEST_PASSWORD)).toBe(200);
  });

  it('requires twelve characters for administrators', async () => {
    const { browser } = await signedIn({ role: 'admin' });
    expect(await change(browser, TEST_PASSWORD, 'eleven chars'.slice(1))).toMatchObject({
      status: 400,
      body: { field: 'newPassword', message: 'Administrators need a password of at least 12 characters' },
    });
    expect(await change(browser, TEST_PASSWORD, 'twelve chars')).toMatchObject({ status: 200 });
  });

  it('does not overwrite a password that was set while the current one was being checked', async () => {
    const { user } = await signedIn();
    await forget(user.email);
    const resetToken = await resetTokenTo(user.email);
    const hash = async (password: string) => {
      await reset(resetToken, 'of the real owner');
      return shop.deps.passwords.hash(password);
    };
    const thief = { userId: user.id, sessionId: user.id, currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD };
    await expect(
      updatePassword({ ...shop.deps, passwords: { ...shop.deps.passwords, hash } }, thief),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED', field: 'currentPassword' });
    expect(await signIn(user.email, NEW_PASSWORD)).toBe(401);
    expect(await signIn(user.email, 'of the real owner')).toBe(200);
  });

  it('invalidates links that were requested before', async () => {
    const { user, browser } = await signedIn();
    await forget(user.email);
    const resetToken = await resetTokenTo(user.email);
    const email = `thief-${user.email}`;
    const address = { street: '', city: '', state: '', zipCode: '', country: '' };
    await browser.send('PUT', '/api/auth/updatedetails', { name: 'X', phone: '', email, address });
    const confirmToken = await linkTokenTo(shop, email, '/confirm-email');

    await change(browser, TEST_PASSWORD);
    expect(await reset(resetToken)).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await browser.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({
      status: 400,
      body: { code: 'LINK_INVALID' },
    });
  });
});

describe('a forgotten password', () => {
  it('is replaced through a mailed link, which ends all sessions and the old password', async () => {
    const { user, browser } = await signedIn({ email_verified_at: null });
    expect(await forget(` ${user.email.toUpperCase()}`)).toMatchObject({ status: 200, body: { success: true } });
    const resetToken = await resetTokenTo(user.email);
    expect(await browser.get('/api/auth/me')).toMatchObject({ status: 200 });

    expect(await reset(resetToken)).toMatchObject({ status: 200, body: { success: true } });
    expect(await browser.get('/api/auth/me')).toMatchObject({ status: 401 });
    expect(await signIn(user.email, TEST_PASSWORD)).toBe(401);
    await browser.signIn(user.email, NEW_PASSWORD);
    expect((await browser.get('/api/auth/me')).body.data).toMatchObject({ emailVerified: true });
    expect((await mailsTo(shop, user.email)).map(({ subject }) => subject)).toEqual([
      'Choose a new password',
      'Your password was changed',
    ]);
  });

  it('gets the same response for an unknown address, which is neither mailed nor stored', async () => {
    const { email } = await makeUser(shop.deps);
    const known = await forget(email);
    const unknown = await forget('nobody-here@example.com');
    const plain = ({ status, headers, body }: typeof known) => [status, [...headers.keys()].sort(), body];
    expect(plain(unknown)).toEqual(plain(known));
    expect(await mailsTo(shop, email)).toHaveLength(1);
    expect(await mailsTo(shop, 'nobody-here@example.com')).toEqual([]);
    const kept = await shop.deps.db
      .selectFrom('mails')
      .select('id')
      .where('recipient', '=', 'nobody-here@example.com')
      .execute();
    expect(kept).toEqual([]);
  });

  it('can be replaced for a guest account that never had one', async () => {
    const user = await makeUser(shop.deps, { email_verified_at: null });
    await shop.deps.db.updateTable('users').set({ password_hash: null }).where('id', '=', user.id).execute();
    await forget(user.email);
    await reset(await resetTokenTo(user.email));
    expect(await signIn(user.email, NEW_PASSWORD)).toBe(200);
  });

  it('sends at most three mails an hour to an address, with the same response', async () => {
    const { email } = await makeUser(shop.deps);
    const answers = [];
    for (let time = 0; time < 5; time++) answers.push((await forget(email)).status);
    expect(answers).toEqual([200, 200, 200, 200, 200]);
    expect(await mailsTo(shop, email)).toHaveLength(3);
    shop.pass(HOUR_MS);
    await forget(email);
    expect(await mailsTo(shop, email)).toHaveLength(4);
  });

  it('that was replaced while the clock was a day ahead can be replaced again once the clock is set right', async () => {
    const { email } = await makeUser(shop.deps);
    shop.pass(DAY_MS);
    for (const _ of [1, 2, 3]) {
      await forget(email);
      expect(await reset(await resetTokenTo(email))).toMatchObject({ status: 200 });
    }
    shop.pass(-DAY_MS);
    await forget(email);
    expect(await reset(await resetTokenTo(email))).toMatchObject({ status: 200 });
  });

  it('is not replaced by a link to an earlier address, which does not tell that the account is blocked', async () => {
    const { id, email } = await makeUser(shop.deps);
    await forget(email);
    const resetToken = await resetTokenTo(email);
    const blocked = { email: `new-${email}`, blocked_at: shop.deps.clock.now(), block_reason: 'Chargebacks' };
    await shop.deps.db.updateTable('users').set(blocked).where('id', '=', id).execute();
    expect((await reset(resetToken)).body.code).toBe('LINK_INVALID');
  });

  it('is replaced only by a valid password, and the link stays usable after a rejection', async () => {
    const { email } = await makeUser(shop.deps, { role: 'admin' });
    await forget(email);
    const resetToken = await resetTokenTo(email);
    expect(await reset(resetToken, 'short')).toMatchObject({ status: 400, body: { field: 'password' } });
    expect(await reset(resetToken, 'only eleven')).toMatchObject({
      status: 400,
      body: { message: 'Administrators need a password of at least 12 characters' },
    });
    expect(await reset(resetToken)).toMatchObject({ status: 200 });
  });

  it('has its link only in the mail, not in the log or the database', async () => {
    const { email } = await makeUser(shop.deps);
    await forget(email);
    const resetToken = await resetTokenTo(email);
    expect(shop.logLines.join('\n')).not.toContain(resetToken);
    const jobs = await shop.deps.db.selectFrom('verifications').selectAll().where('email', '=', email).execute();
    expect(JSON.stringify(jobs)).not.toContain(resetToken);
    expect(jobs).toHaveLength(1);
  });
});

it('a password change is rejected after ten wrong current passwords, even with the right one', async () => {
  const limited = await startTestShop({ settings: { RATE_LIMITS: 'on' } });
  try {
    const [user, neighbour] = [await makeUser(limited.deps), await makeUser(limited.deps)];
    const [browser, other] = [createShopper(limited.url), createShopper(limited.url)];
    await browser.signIn(user.email, TEST_PASSWORD);
    await other.signIn(neighbour.email, TEST_PASSWORD);
    for (let time = 0; time < 10; time++) expect(await change(browser, `wrong ${time}`)).toMatchObject({ status: 400 });
    const refused = await change(browser, TEST_PASSWORD);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await browser.get('/api/auth/me')).toMatchObject({ status: 200 });
    expect(await change(other, TEST_PASSWORD)).toMatchObject({ status: 200 });
  } finally {
    await limited.stop();
  }
});
