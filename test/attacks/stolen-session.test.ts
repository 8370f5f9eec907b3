import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/shared/durations.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { linkTokenTo, mailsTo } from '../sent-mails.ts';
import { type Answer, createShopper, type Shopper } from '../shopper.ts';
import { changeEmail, signedInUser } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';
import { codeAt, makeUserWithTwoFactor, setUp } from '../two-factor.ts';

// A thief has the token of a session and nothing else: what that must not allow.

const NEW_PASSWORD = 'another battery staple';
const unproven = { status: 403, body: { success: false, code: 'REAUTHENTICATION_REQUIRED' } };

const shop = await openTestShop();

let made = 0;
const newEmail = () => `address-${++made}@example.com`;
const visitor = () => createShopper(shop.url);
const reauthenticate = (by: Shopper, proof: object) => by.post('/api/auth/reauthenticate', proof);

const signedIn = (overrides: Parameters<typeof makeUser>[1] = {}) =>
  signedInUser(shop, { email: newEmail(), ...overrides });

async function twoFactorAccount() {
  const account = await makeUserWithTwoFactor(shop);
  return { ...account, browser: account.shopper };
}

/** Saves the form of the profile with the e-mail that the account has. */
async function saveOtherDetails(browser: Shopper): Promise<Answer> {
  const { body } = await browser.get('/api/auth/me');
  return changeEmail(browser, String(body.data?.['email']));
}

describe('a session without reauthentication in the last ten minutes', () => {
  const guarded: [string, (browser: Shopper) => Promise<Answer>][] = [
    ['change the email', (browser) => changeEmail(browser, newEmail())],
    ['change the name, phone and address', saveOtherDetails],
    ['set two-factor up', (browser) => browser.post('/api/auth/2fa/setup')],
    ['switch two-factor on', (browser) => browser.post('/api/auth/2fa/verify', { token: '123456' })],
  ];

  it.each(guarded)('cannot %s', async (_, act) => {
    const { user, browser } = await signedIn();
    shop.pass(10 * MINUTE_MS + 1_000);
    expect(await act(browser)).toMatchObject(unproven);
    expect(await browser.get('/api/auth/me')).toMatchObject({
      status: 200,
      body: { data: { name: user.name, email: user.email } },
    });
    expect(await mailsTo(shop, user.email)).toEqual([]);
    // The session's owner confirms the password and goes on.
    expect(await reauthenticate(browser, { password: TEST_PASSWORD })).toMatchObject({ status: 200 });
    expect((await act(browser)).body.code).not.toBe('REAUTHENTICATION_REQUIRED');
  });

  it('begun while the clock was a day ahead, cannot change the email', async () => {
    shop.pass(DAY_MS);
    const { browser } = await signedIn();
    shop.pass(-DAY_MS);
    expect(await changeEmail(browser, newEmail())).toMatchObject(unproven);
  });

  it('can switch two-factor off and create backup codes with the password in the request', async () => {
    const { browser } = await twoFactorAccount();
    shop.pass(11 * MINUTE_MS);
    for (const call of ['backup-codes', 'disable']) {
      expect(await browser.post(`/api/auth/2fa/${call}`, { password: 'a guess' })).toMatchObject({ status: 400 });
      expect(await browser.post(`/api/auth/2fa/${call}`, { password: TEST_PASSWORD })).toMatchObject({ status: 200 });
    }
  });

  it('of an administrator cannot promote or block a user', async () => {
    const { browser } = await signedIn({ role: 'admin' });
    const other = await makeUser(shop.deps);
    const acts = [
      () => browser.send('PUT', `/api/admin/users/${other.id}/role`, { role: 'admin' }),
      () => browser.send('PUT', `/api/admin/users/${other.id}/block`, { blocked: true, reason: 'Mine' }),
    ];
    shop.pass(11 * MINUTE_MS);
    for (const act of acts) expect(await act()).toMatchObject(unproven);
    await reauthenticate(browser, { password: TEST_PASSWORD });
    for (const act of acts) expect(await act()).toMatchObject({ status: 200 });
  });

  it('can still list and end sessions', async () => {
    const { browser } = await signedIn();
    shop.pass(11 * MINUTE_MS);
    expect(await browser.send('DELETE', '/api/auth/sessions')).toMatchObject({ status: 200 });
    expect(await browser.get('/api/auth/sessions')).toMatchObject({ status: 200 });
  });

  it('can change details and email just before the ten minutes have passed', async () => {
    const { user, browser } = await signedIn();
    shop.pass(10 * MINUTE_MS - 5_000);
    expect(await changeEmail(browser, user.email)).toMatchObject({ status: 200, body: { pendingEmail: null } });
    expect(await changeEmail(browser, newEmail())).toMatchObject({ status: 200 });
  });
});

describe('reauthentication', () => {
  it('applies only to its own session', async () => {
    const { user, browser } = await signedIn();
    const thief = visitor();
    await thief.signIn(user.email, TEST_PASSWORD);
    shop.pass(11 * MINUTE_MS);
    expect(await reauthenticate(browser, { password: TEST_PASSWORD })).toMatchObject({ status: 200 });
    expect(await changeEmail(thief, newEmail())).toMatchObject(unproven);
    expect(await changeEmail(browser, newEmail())).toMatchObject({ status: 200 });
  });

  it('is included in a password change', async () => {
    const { browser } = await signedIn();
    shop.pass(11 * MINUTE_MS);
    const body = { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD };
    expect(await browser.send('PUT', '/api/auth/updatepassword', body)).toMatchObject({ status: 200 });
    expect(await browser.post('/api/auth/2fa/setup')).toMatchObject({ status: 200 });
  });

  it('accepts a code or a backup code once if two-factor is on, or the password', async () => {
    const { browser, code, backupCodes } = await twoFactorAccount();
    for (const proof of [{ code: code() }, { code: backupCodes[0] }]) {
      expect(await reauthenticate(browser, proof)).toMatchObject({ status: 200 });
      expect(await reauthenticate(browser, proof)).toMatchObject({ status: 401, body: { code: 'INVALID_CODE' } });
    }
    expect(await reauthenticate(browser, { password: TEST_PASSWORD })).toMatchObject({ status: 200 });
    shop.pass(11 * MINUTE_MS);
    const change = () => changeEmail(browser, newEmail());
    expect(await change()).toMatchObject(unproven);
    expect(await reauthenticate(browser, { code: code() })).toMatchObject({ status: 200 });
    expect(await change()).toMatchObject({ status: 200 });
  });

  it('refuses a code if two-factor is set up but not on, so that a thief cannot use their own code', async () => {
    const { browser } = await signedIn();
    const { secret } = await setUp(browser);
    shop.pass(11 * MINUTE_MS);
    const answer = await reauthenticate(browser, { code: codeAt(secret, shop.deps.clock.now()) });
    expect(answer).toMatchObject({ status: 409, body: { code: 'TWO_FACTOR_NOT_SET_UP' } });
    expect(await browser.post('/api/auth/2fa/setup')).toMatchObject(unproven);
  });

  it('refuses a wrong password without signing out, and requires a session', async () => {
    const { browser } = await signedIn();
    shop.pass(11 * MINUTE_MS);
    expect(await reauthenticate(browser, { password: 'a guess' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', field: 'password', message: 'Current password is incorrect' },
    });
    expect(await browser.post('/api/auth/2fa/setup')).toMatchObject(unproven);
    expect(await reauthenticate(visitor(), { password: TEST_PASSWORD })).toMatchObject({ status: 401 });
  });
});

it('a mail informs the owner when two-factor is switched on or off or has new backup codes', async () => {
  const { user, browser } = await twoFactorAccount();
  await browser.post('/api/auth/2fa/backup-codes', { password: TEST_PASSWORD });
  await browser.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
  const mails = await mailsTo(shop, user.email);
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Two-factor authentication was switched on',
    'You have new backup codes',
    'Two-factor authentication was switched off',
  ]);
  for (const { text } of mails) {
    expect(text).toContain('If that was not you, somebody else is in your account');
    expect(text).toContain(`${shop.deps.config.publicUrl}/forgot-password`);
    expect(text).not.toContain('token=');
  }
});

it.each([false, true])(
  'a session that switched two-factor on cannot change the email, with the change requested before: %s',
  async (isAskedFirst) => {
    const { user, browser: thief } = await signedIn();
    const [old, taken] = [user.email, newEmail()];
    shop.pass(1_000);
    if (isAskedFirst) await changeEmail(thief, taken);
    const { secret } = await setUp(thief);
    const token = codeAt(secret, shop.deps.clock.now());
    expect(await thief.post('/api/auth/2fa/verify', { token })).toMatchObject({ status: 200 });
    if (!isAskedFirst) await changeEmail(thief, taken);
    const confirmToken = await linkTokenTo(shop, taken, '/confirm-email');
    const confirmed = await thief.post('/api/auth/confirmemail', { confirmToken });
    expect(confirmed).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await thief.get('/api/auth/me')).body.data).toMatchObject({ email: old });
    expect((await mailsTo(shop, old)).map(({ subject }) => subject)).not.toContain('Your email address was changed');
  },
);
