import { randomUUID } from 'node:crypto';
import { Secret } from 'otpauth';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/shared/durations.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { findLeaks, readDatabase } from '../faults/canary-scan.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { type Answer, createShopper } from '../shopper.ts';
import { changeEmail } from '../signed-in.ts';
import { openTestShop, startTestShop } from '../test-shop.ts';
import { type AccountWithTwoFactor, codeAt, makeUserWithTwoFactor, setUp } from '../two-factor.ts';

const expired = { status: 401, body: { code: 'UNAUTHENTICATED' } };
const wrong = { status: 401, body: { code: 'INVALID_CODE', message: 'Invalid 2FA code' } };
const tooMany = { status: 429, body: { code: 'RATE_LIMITED' } };

let account: AccountWithTwoFactor;
const shop = await openTestShop();
beforeEach(async () => {
  account = await makeUserWithTwoFactor(shop);
});

/** Counts the answers of each status. */
function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const signedInTokens = (answers: Answer[]) => answers.flatMap(({ body }) => body.token ?? []);

/** Returns a six-digit code that the app shows neither now nor in the two steps before and after. */
function wrongCode(index = 0): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => account.code(steps)));
  const wrongs = Array.from({ length: index + 6 }, (_, guess) => String(guess).padStart(6, '0'));
  return wrongs.filter((guess) => !right.has(guess))[index] ?? '';
}

describe('a code', () => {
  it('signs in only once, even with a new pending token', async () => {
    const code = account.code();
    expect(await account.signIn(code)).toMatchObject({ status: 200 });
    expect(await account.signIn(code)).toMatchObject(wrong);
  });

  it('sent by 20 concurrent requests with one pending token signs in once', async () => {
    const [pendingToken, code] = [await account.begin(), account.code()];
    const answers = await times(20, () => account.finish(pendingToken, code));
    expect(tally(answers)).toEqual({ 200: 1, 401: 19 });
    expect(signedInTokens(answers)).toHaveLength(1);
  });

  it('sent by 20 concurrent requests, each with its own pending token, signs in once', async () => {
    const pendingTokens = await times(20, () => account.begin());
    const code = account.code();
    const answers = await times(20, (index) => account.finish(pendingTokens[index] ?? '', code));
    expect(tally(answers)[200]).toBe(1);
    expect(signedInTokens(answers)).toHaveLength(1);
  });

  it('is accepted one time step early or late, but not two', async () => {
    expect(await account.signIn(account.code(-2))).toMatchObject(wrong);
    expect(await account.signIn(account.code(2))).toMatchObject(wrong);
    expect(await account.signIn(account.code(-1))).toMatchObject({ status: 200 });
    expect(await account.signIn(account.code(1))).toMatchObject({ status: 200 });
  });

  it('of an older time step is refused after a code of a newer step was used', async () => {
    expect(await account.signIn(account.code(1))).toMatchObject({ status: 200 });
    expect(await account.signIn(account.code())).toMatchObject(wrong);
    expect(await account.signIn(account.code(-1))).toMatchObject(wrong);
  });

  it('that turned two-factor on cannot be used again to sign in', async () => {
    const { email } = await makeUser(shop.deps);
    const shopper = createShopper(shop.url);
    await shopper.signIn(email, TEST_PASSWORD);
    const code = codeAt((await setUp(shopper)).secret, shop.deps.clock.now());
    expect((await shopper.post('/api/auth/2fa/verify', { token: code })).status).toBe(200);
    const { pendingToken } = (await createShopper(shop.url).signIn(email, TEST_PASSWORD)).body;
    expect(await account.finish(String(pendingToken), code)).toMatchObject(wrong);
  });

  it('of another account is refused', async () => {
    const other = await makeUserWithTwoFactor(shop);
    expect(await account.signIn(other.code())).toMatchObject(wrong);
    expect(await account.signIn(other.backupCodes[0] ?? '')).toMatchObject(wrong);
  });

  it.each([
    '',
    '0',
    '１２３４５６',
    '-1',
    '1e5',
    'null',
    '\u0000',
    '\ud800',
    "' OR 1=1 --",
    '9'.repeat(101),
    123_456,
    null,
    true,
    ['123456'],
    { $ne: '' },
  ])('%j is refused without a server error', async (code) => {
    const answer = await account.finish(await account.begin(), code);
    expect([400, 401]).toContain(answer.status);
    expect(answer.body.token).toBeUndefined();
  });
});

describe('a backup code', () => {
  it('signs in once, in upper or lower case, with or without dashes', async () => {
    const [first = '', second = '', third = ''] = account.backupCodes;
    for (const typed of [first, second.toLowerCase().replaceAll('-', ' '), third.replaceAll('-', '')]) {
      expect(await account.signIn(typed)).toMatchObject({ status: 200 });
      expect(await account.signIn(typed)).toMatchObject(wrong);
    }
  });

  it('sent by 20 concurrent requests, each with its own pending token, signs in once', async () => {
    const pendingTokens = await times(20, () => account.begin());
    const [code] = account.backupCodes;
    const answers = await times(20, (index) => account.finish(pendingTokens[index] ?? '', code));
    expect(tally(answers)[200]).toBe(1);
    expect(signedInTokens(answers)).toHaveLength(1);
  });

  it('counts as an attempt when it is wrong', async () => {
    const pendingToken = await account.begin();
    await times(5, () => account.finish(pendingToken, 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA'));
    expect(await account.finish(pendingToken, account.backupCodes[0])).toMatchObject(tooMany);
  });
});

describe('the limit on wrong codes', () => {
  it('allows five attempts per pending token, and then refuses even the right code', async () => {
    const pendingToken = await account.begin();
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await account.finish(pendingToken, wrongCode(guess))).toMatchObject(wrong);
    }
    const sixth = await account.finish(pendingToken, account.code());
    expect(sixth).toMatchObject(tooMany);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(200);
    expect(await account.signIn(account.code())).toMatchObject({ status: 200 });
  });

  it('allows no more attempts to 30 concurrent requests', async () => {
    const pendingToken = await account.begin();
    const answers = await times(30, (index) => account.finish(pendingToken, wrongCode(index)));
    expect(tally(answers)).toEqual({ 401: 5, 429: 25 });
  });

  it('allows ten attempts per account across pending tokens', async () => {
    for (const pendingToken of [await account.begin(), await account.begin()]) {
      await times(5, (index) => account.finish(pendingToken, wrongCode(index)));
    }
    const eleventh = await account.signIn(account.code());
    expect(eleventh).toMatchObject(tooMany);
    expect(Number(eleventh.headers.get('retry-after'))).toBeGreaterThanOrEqual(15 * 60);
    expect(await account.signIn(account.backupCodes[0] ?? '')).toMatchObject(tooMany);

    const other = await makeUserWithTwoFactor(shop);
    expect(await other.signIn(other.code())).toMatchObject({ status: 200 });
  });

  it('locks the second factor for 15 minutes after 10 wrong codes, then accepts the right code', async () => {
    for (const pendingToken of [await account.begin(), await account.begin()]) {
      await times(5, (index) => account.finish(pendingToken, wrongCode(index)));
    }
    shop.pass(15 * MINUTE_MS);
    const waiting = await account.signIn(account.code());
    expect(waiting).toMatchObject(tooMany);
    shop.pass(Number(waiting.headers.get('retry-after')) * 1_000);
    expect(await account.signIn(account.code())).toMatchObject({ status: 200 });
  });

  it('no longer locks the second factor when the clock, which was a day ahead, is set right', async () => {
    shop.pass(DAY_MS);
    for (const pendingToken of [await account.begin(), await account.begin()]) {
      await times(5, (index) => account.finish(pendingToken, wrongCode(index)));
    }
    const unused = await account.begin();
    expect(await account.signIn(account.code())).toMatchObject(tooMany);
    shop.pass(-DAY_MS);
    expect(await account.finish(unused, wrongCode())).toMatchObject(expired);
    expect(await account.signIn(account.code())).toMatchObject({ status: 200 });
  });

  it('allows no more attempts to many concurrent pending tokens', async () => {
    const pendingTokens = await times(8, () => account.begin());
    const answers = await times(40, (index) => account.finish(pendingTokens[index % 8] ?? '', wrongCode(index)));
    expect(tally(answers)).toEqual({ 401: 10, 429: 30 });
  });

  it('does not count correct codes', async () => {
    for (const backupCode of account.backupCodes) await account.signIn(backupCode);
    expect(await account.signIn(account.code(-1))).toMatchObject({ status: 200 });
    expect(await account.signIn(account.code())).toMatchObject({ status: 200 });
  });
});

describe('a pending token', () => {
  it('is not accepted as a session token, nor a session token as a pending token', async () => {
    const pendingToken = await account.begin();
    const thief = createShopper(shop.url);
    thief.setToken(pendingToken);
    for (const path of ['auth/me', 'auth/2fa/status', 'auth/sessions', 'digital-orders/myorders']) {
      expect(await thief.get(`/api/${path}`)).toMatchObject(expired);
    }
    expect(await thief.post('/api/auth/2fa/disable', { password: TEST_PASSWORD })).toMatchObject(expired);
    expect(await thief.post('/api/auth/2fa/setup')).toMatchObject(expired);

    const sessionToken = (await account.finish(pendingToken, account.code())).body.token ?? '';
    expect(await account.finish(sessionToken, account.code(1))).toMatchObject(expired);
  });

  it('completes only one login', async () => {
    const pendingToken = await account.begin();
    expect(await account.finish(pendingToken, account.code(-1))).toMatchObject({ status: 200 });
    expect(await account.finish(pendingToken, account.code())).toMatchObject(expired);
    expect(await account.finish(pendingToken, account.backupCodes[0])).toMatchObject(expired);
  });

  it('that is expired, altered, forged or malformed is refused', async () => {
    const pendingToken = await account.begin();
    const madeUp = await shop.deps.pendingTokens.sign({
      pendingLoginId: randomUUID(),
      expiresAt: new Date(shop.deps.clock.now().getTime() + MINUTE_MS),
    });
    const [header, , signature] = pendingToken.split('.');
    const payload = (await account.begin()).split('.')[1];
    for (const token of [madeUp, `${header}.${payload}.${signature}`, `${pendingToken}A`, 'a.b.c', '..']) {
      expect(await account.finish(token, account.code())).toMatchObject(expired);
    }
    shop.pass(5 * MINUTE_MS);
    expect(await account.finish(pendingToken, account.code())).toMatchObject(expired);
  });

  it('becomes invalid when the password is changed', async () => {
    const pendingToken = await account.begin();
    const { status } = await account.shopper.send('PUT', '/api/auth/updatepassword', {
      currentPassword: TEST_PASSWORD,
      newPassword: 'another long password',
    });
    expect(status).toBe(200);
    expect(await account.finish(pendingToken, account.code())).toMatchObject(expired);
  });

  it('becomes invalid when two-factor is turned off, even if it is turned on again', async () => {
    const pendingToken = await account.begin();
    await account.shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
    expect(await account.finish(pendingToken, account.code())).toMatchObject(expired);
    const { secret } = await setUp(account.shopper);
    const code = codeAt(secret, shop.deps.clock.now());
    await account.shopper.post('/api/auth/2fa/verify', { token: code });
    const next = codeAt(secret, new Date(shop.deps.clock.now().getTime() + 30_000));
    expect(await account.finish(pendingToken, next)).toMatchObject(expired);
    expect(await account.signIn(next)).toMatchObject({ status: 200 });
  });

  it('becomes invalid when the email is changed, which its holder may not know', async () => {
    const owner = account.shopper;
    owner.setToken((await account.signIn(account.code())).body.token);
    const pendingToken = await account.begin();
    const email = 'moved-on@example.com';
    expect(await changeEmail(owner, email)).toMatchObject({ status: 200 });
    const confirmToken = await linkTokenTo(shop, email, '/confirm-email');
    expect(await owner.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 200 });
    expect(await account.finish(pendingToken, account.code(1))).toMatchObject(expired);
  });

  it('is required for the second step: neither step signs in alone, nor both in one request', async () => {
    const password = { email: account.user.email, password: TEST_PASSWORD };
    const both = (second: object) => createShopper(shop.url).post('/api/auth/login', { ...password, ...second });
    const pendingToken = await account.begin();
    const answers = [
      await both({}),
      await both({ twoFactorToken: account.code() }),
      await both({ twoFactorToken: '', pendingToken }),
      await both({ twoFactorToken: wrongCode(), pendingToken }),
      await both({ twoFactorToken: account.code(), pendingToken: 'x' }),
      await both({ requiresTwoFactor: false, twoFactorEnabled: false }),
    ];
    expect(signedInTokens(answers)).toEqual([]);
    expect(answers[3]).toMatchObject(wrong);
    expect(answers[4]).toMatchObject(expired);
  });
});

describe('the two-factor settings', () => {
  const rowsOf = async (userId: string) => ({
    secret: await shop.deps.db.selectFrom('two_factor_secrets').selectAll().where('user_id', '=', userId).execute(),
    codes: await shop.deps.db.selectFrom('backup_codes').selectAll().where('user_id', '=', userId).execute(),
  });

  it('cannot be set up again while two-factor is on, even by 10 concurrent requests', async () => {
    const before = await rowsOf(account.user.id);
    const answers = await times(10, () => account.shopper.post('/api/auth/2fa/setup'));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'TWO_FACTOR_ENABLED' } });
      expect(answer.body.data).toBeUndefined();
    }
    const verified = await account.shopper.post('/api/auth/2fa/verify', { token: account.code() });
    expect(verified).toMatchObject({ status: 409, body: { code: 'TWO_FACTOR_ENABLED' } });
    expect(await rowsOf(account.user.id)).toEqual(before);
    expect(await account.signIn(account.code())).toMatchObject({ status: 200 });
  });

  it('of a second setup replace those of the first', async () => {
    const { email } = await makeUser(shop.deps);
    const shopper = createShopper(shop.url);
    await shopper.signIn(email, TEST_PASSWORD);
    const [first, second] = [await setUp(shopper), await setUp(shopper)];
    const verify = (secret: string) =>
      shopper.post('/api/auth/2fa/verify', { token: codeAt(secret, shop.deps.clock.now()) });
    expect(await verify(first.secret)).toMatchObject({ status: 401 });
    expect(await verify(second.secret)).toMatchObject({ status: 200 });
    const signIn = async (backupCode: string | undefined) => {
      const { pendingToken } = (await createShopper(shop.url).signIn(email, TEST_PASSWORD)).body;
      return account.finish(String(pendingToken), backupCode);
    };
    expect(await signIn(first.backupCodes[0])).toMatchObject(wrong);
    expect(await signIn(second.backupCodes[0])).toMatchObject({ status: 200 });
  });

  it('cannot be changed from a stolen session by guessing the password', async () => {
    const limited = await startTestShop({ settings: { RATE_LIMITS: 'on' } });
    try {
      const [victim, other] = [await makeUserWithTwoFactor(limited), await makeUserWithTwoFactor(limited)];
      const guess = (call: string) => victim.shopper.post(`/api/auth/2fa/${call}`, { password: 'a guess' });
      const answers = await times(30, (index) => guess(index % 2 ? 'disable' : 'backup-codes'));
      expect(tally(answers)).toEqual({ 400: 10, 429: 20 });
      const right = await victim.shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
      expect(right).toMatchObject(tooMany);
      expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
      expect((await victim.shopper.get('/api/auth/2fa/status')).body.data).toMatchObject({ enabled: true });
      const untouched = await other.shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
      expect(untouched).toMatchObject({ status: 200 });
    } finally {
      await limited.stop();
    }
  });

  it('are shown only at setup: no later response contains the secret or codes, and all are no-store', async () => {
    const { shopper } = account;
    const { pendingToken } = (await shopper.signIn(account.user.email, TEST_PASSWORD)).body;
    const signedIn = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: account.code() });
    shopper.setToken(signedIn.body.token);
    const answers = [
      signedIn,
      await shopper.get('/api/auth/2fa/status'),
      await shopper.get('/api/auth/me'),
      await shopper.get('/api/auth/sessions'),
      await shopper.post('/api/auth/2fa/setup'),
      await shopper.post('/api/auth/2fa/verify', { token: account.code(1) }),
      await shopper.post('/api/auth/2fa/disable', { password: 'wrong' }),
      await shopper.post('/api/auth/2fa/backup-codes', { password: TEST_PASSWORD }),
      await shopper.post('/api/auth/2fa/disable', { password: TEST_PASSWORD }),
    ];
    expect(tally(answers)).toEqual({ 200: 6, 400: 1, 409: 2 });
    const evidence = answers.map(({ body }) => ({ place: 'answer', bytes: Buffer.from(JSON.stringify(body)) }));
    expect(findLeaks(evidence, secretsOf(account))).toEqual([]);
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
  });
});

it('neither the database nor the log contains the secret or a backup code in plain text', async () => {
  await account.signIn(account.backupCodes[0] ?? '');
  await account.signIn(account.code());
  await account.signIn('AAAA-AAAA-AAAA-AAAA-AAAA-AAAA');
  const log = { place: 'log', bytes: Buffer.from(shop.logLines.join('\n')) };
  const evidence = [...(await readDatabase(shop.deps.db)), log];
  const raw = Buffer.from(Secret.fromBase32(account.secret).bytes);
  expect(findLeaks(evidence, secretsOf(account))).toEqual([]);
  for (const { place, bytes } of evidence) expect([place, bytes.includes(raw)]).toEqual([place, false]);
  const planted = { place: 'planted', bytes: Buffer.from(`x${account.secret}`) };
  expect(findLeaks([planted], secretsOf(account))).toHaveLength(1);
});

/** Returns the secret in base32 and hex, and the backup codes with and without their dashes. */
function secretsOf({ secret, backupCodes }: AccountWithTwoFactor): string[] {
  const { hex } = Secret.fromBase32(secret);
  const plain = backupCodes.map((code) => code.replaceAll('-', ''));
  return [secret, hex, hex.toLowerCase(), ...backupCodes, ...plain];
}
