import { describe, expect, test } from 'vitest';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { codeAt, makeUserWithTwoFactor, type Setup, setUp } from '../../../../test/two-factor.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { removeEndedRows } from '../retention/retention.ts';

const shop = await openTestShop({ settings: { STORE_NAME: 'Kedai Uji' } });

async function makeShopper(): Promise<{ email: string; shopper: Shopper }> {
  const { email } = await makeUser(shop.deps);
  const shopper = createShopper(shop.url);
  await shopper.signIn(email, TEST_PASSWORD);
  return { email, shopper };
}

const now = () => shop.deps.clock.now();
const statusOf = async (shopper: Shopper) => (await shopper.get('/api/auth/2fa/status')).body.data;

describe('the setup of two-factor', () => {
  test('returns a QR code, the secret and ten backup codes, and does not change the login yet', async () => {
    const { email, shopper } = await makeShopper();
    expect(await statusOf(shopper)).toEqual({ enabled: false, backupCodesStatus: 'none', warning: null });
    const { body, headers } = await shopper.post('/api/auth/2fa/setup');
    const { qrCode, secret, backupCodes } = body.data as unknown as Setup;
    expect(headers.get('cache-control')).toBe('no-store');
    expect(qrCode).toMatch(/^data:image\/svg\+xml;base64,/);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new Set(backupCodes).size).toBe(10);
    expect(await statusOf(shopper)).toEqual({ enabled: false, backupCodesStatus: 'none', warning: null });
    expect((await createShopper(shop.url).signIn(email, TEST_PASSWORD)).body.token).toBeDefined();
  });

  test('is completed by a valid code, but not by a wrong code', async () => {
    const { shopper } = await makeShopper();
    const { secret } = await setUp(shopper);
    const far = new Date(now().getTime() + HOUR_MS);
    expect(await shopper.post('/api/auth/2fa/verify', { token: codeAt(secret, far) })).toMatchObject({
      status: 401,
      body: { code: 'INVALID_CODE', message: 'Invalid verification code' },
    });
    expect(await statusOf(shopper)).toMatchObject({ enabled: false });
    const code = codeAt(secret, now());
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect((await shopper.post('/api/auth/2fa/verify', { token: typed })).status).toBe(200);
    expect(await statusOf(shopper)).toEqual({ enabled: true, backupCodesStatus: 'sufficient', warning: null });
  });

  test('names the cause when another tab has replaced it, and the newer setup can be completed', async () => {
    const { shopper } = await makeShopper();
    const first = await setUp(shopper);
    shop.pass(1);
    const second = await setUp(shopper);
    const verify = ({ secret, madeAt }: Setup) =>
      shopper.post('/api/auth/2fa/verify', { token: codeAt(secret, now()), madeAt });
    expect(await verify(first)).toMatchObject({
      status: 409,
      body: {
        code: 'TWO_FACTOR_NOT_SET_UP',
        message: 'Another tab or device has replaced this secret. Please start again.',
      },
    });
    expect(await statusOf(shopper)).toMatchObject({ enabled: false });
    expect((await verify(second)).status).toBe(200);
    expect(await statusOf(shopper)).toMatchObject({ enabled: true });
  });

  test('is not completed by a backup code', async () => {
    const { shopper } = await makeShopper();
    const { backupCodes } = await setUp(shopper);
    expect((await shopper.post('/api/auth/2fa/verify', { token: backupCodes[0] })).status).toBe(401);
    expect(await statusOf(shopper)).toMatchObject({ enabled: false });
  });

  test('must be completed before two-factor can be disabled or its backup codes renewed', async () => {
    const { shopper } = await makeShopper();
    const refusal = { status: 409, body: { code: 'TWO_FACTOR_NOT_SET_UP' } };
    expect(await shopper.post('/api/auth/2fa/verify', { token: '123456' })).toMatchObject(refusal);
    await setUp(shopper);
    for (const call of ['disable', 'backup-codes']) {
      const answer = await shopper.post(`/api/auth/2fa/${call}`, { password: TEST_PASSWORD });
      expect(answer).toMatchObject(refusal);
    }
  });
});

describe('a login with two-factor', () => {
  test('asks for a code after the password, and the code signs in', async () => {
    const { user, code } = await makeUserWithTwoFactor(shop);
    const shopper = createShopper(shop.url);
    const first = await shopper.signIn(user.email, TEST_PASSWORD);
    expect(first).toMatchObject({
      status: 200,
      body: {
        success: true,
        requiresTwoFactor: true,
        pendingToken: expect.any(String),
        message: 'Enter the 6-digit code of your authenticator app',
      },
    });
    expect(first.body).not.toHaveProperty('user');
    const { pendingToken } = first.body;
    const second = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: code() });
    expect(second).toMatchObject({ status: 200, body: { user: { _id: user.id } } });
    shopper.setToken(second.body.token);
    expect((await shopper.get('/api/auth/me')).body.data).toMatchObject({ email: user.email });
  });

  test('refuses a wrong password as without two-factor', async () => {
    const { user } = await makeUserWithTwoFactor(shop);
    expect(await createShopper(shop.url).signIn(user.email, 'wrong password')).toMatchObject({
      status: 401,
      body: { code: 'INVALID_CREDENTIALS', message: 'Invalid email or password' },
    });
  });

  test.each([
    [true, 30 * 24],
    [false, 12],
  ])('keeps the remember-me choice until the code is entered: %s', async (rememberMe, hours) => {
    const account = await makeUserWithTwoFactor(shop);
    const { body } = await account.finish(await account.begin(rememberMe), account.code());
    const { sessionId: id } = await shop.deps.sessionTokens.verify(String(body.token));
    const session = await shop.deps.db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(session.remembered).toBe(rememberMe);
    expect(session.expires_at.getTime() - session.created_at.getTime()).toBe(hours * HOUR_MS);
  });

  test('waits at most five minutes for the code', async () => {
    const account = await makeUserWithTwoFactor(shop);
    const [inTime, late] = [await account.begin(), await account.begin()];
    shop.pass(5 * MINUTE_MS - 20_000);
    expect((await account.finish(inTime, account.code())).status).toBe(200);
    shop.pass(20_000);
    expect(await account.finish(late, account.code(1))).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED', message: 'Session expired. Please login again.' },
    });
  });
});

describe('backup codes', () => {
  test('are reported by the status as low or used up', async () => {
    const account = await makeUserWithTwoFactor(shop);
    const statuses = [];
    for (const backupCode of account.backupCodes) {
      expect((await account.signIn(backupCode)).status).toBe(200);
      statuses.push(await statusOf(account.shopper));
    }
    const low = (left: string) => ({
      enabled: true,
      backupCodesStatus: 'low',
      warning: `You have only ${left} left. Make new ones soon.`,
    });
    expect(statuses.slice(5)).toEqual([
      { enabled: true, backupCodesStatus: 'sufficient', warning: null },
      low('3 backup codes'),
      low('2 backup codes'),
      low('1 backup code'),
      {
        enabled: true,
        backupCodesStatus: 'none',
        warning: 'You have no backup codes left. Make new ones, or you cannot sign in without your phone.',
      },
    ]);
  });

  test('are replaced by new codes, which requires the password', async () => {
    const account = await makeUserWithTwoFactor(shop);
    const [oldCode = ''] = account.backupCodes;
    const renew = (password: string) => account.shopper.post('/api/auth/2fa/backup-codes', { password });
    expect(await renew('wrong password')).toMatchObject({
      status: 400,
      body: { message: 'Current password is incorrect', field: 'password' },
    });
    const { status, body } = await renew(TEST_PASSWORD);
    const { backupCodes } = body.data as unknown as { backupCodes: string[] };
    expect([status, backupCodes.length]).toEqual([200, 10]);
    expect((await account.signIn(oldCode)).status).toBe(401);
    expect((await account.signIn(backupCodes[0] ?? '')).status).toBe(200);
  });
});

describe('disabling two-factor', () => {
  test('requires the password, which alone then signs in', async () => {
    const { user, shopper } = await makeUserWithTwoFactor(shop);
    const disable = (password: string) => shopper.post('/api/auth/2fa/disable', { password });
    expect(await disable('wrong password')).toMatchObject({
      status: 400,
      body: { message: 'Current password is incorrect', field: 'password' },
    });
    expect(await statusOf(shopper)).toMatchObject({ enabled: true });
    expect((await disable(TEST_PASSWORD)).status).toBe(200);
    expect(await statusOf(shopper)).toEqual({ enabled: false, backupCodesStatus: 'none', warning: null });
    expect((await createShopper(shop.url).signIn(user.email, TEST_PASSWORD)).body.token).toBeDefined();
  });

  test('deletes the secret and the backup codes, and a new setup makes others', async () => {
    const { user, shopper, secret, backupCodes } = await makeUserWithTwoFactor(shop);
    await shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
    for (const table of ['two_factor_secrets', 'backup_codes'] as const) {
      expect(await shop.deps.db.selectFrom(table).selectAll().where('user_id', '=', user.id).execute()).toEqual([]);
    }
    const again = await setUp(shopper);
    expect(again.secret).not.toBe(secret);
    expect(again.backupCodes.filter((code) => backupCodes.includes(code))).toEqual([]);
  });
});

test('enabling or disabling two-factor ends the user’s other sessions, but not the caller’s', async () => {
  const { email, shopper } = await makeShopper();
  const bystander = (await makeShopper()).shopper;
  const isSignedIn = async (who: Shopper) => (await who.get('/api/auth/me')).status === 200;

  const before = createShopper(shop.url);
  await before.signIn(email, TEST_PASSWORD);
  const { secret, backupCodes } = await setUp(shopper);
  expect(await isSignedIn(before)).toBe(true);
  await shopper.post('/api/auth/2fa/verify', { token: codeAt(secret, now()) });
  expect([await isSignedIn(before), await isSignedIn(shopper)]).toEqual([false, true]);

  const during = createShopper(shop.url);
  const { pendingToken } = (await during.signIn(email, TEST_PASSWORD)).body;
  const second = { pendingToken, twoFactorToken: backupCodes[0] };
  during.setToken((await during.post('/api/auth/login', second)).body.token);
  expect(await isSignedIn(during)).toBe(true);
  await shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
  expect([await isSignedIn(during), await isSignedIn(shopper)]).toEqual([false, true]);
  expect(await isSignedIn(bystander)).toBe(true);
});

test('logins without a code are removed once their attempts no longer count', async () => {
  const { user, begin } = await makeUserWithTwoFactor(shop);
  const countPending = async () =>
    (await shop.deps.db.selectFrom('verifications').selectAll().where('user_id', '=', user.id).execute()).length;
  await begin();
  shop.pass(10 * MINUTE_MS);
  await begin();
  shop.pass(10 * MINUTE_MS - 1_000);
  await removeEndedRows(shop.deps.db, now());
  expect(await countPending()).toBe(2);
  shop.pass(1_000);
  await removeEndedRows(shop.deps.db, now());
  expect(await countPending()).toBe(1);
});
