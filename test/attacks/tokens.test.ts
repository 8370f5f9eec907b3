import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { startShop } from '../../src/server/start-shop.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { signedInUser } from '../signed-in.ts';
import { openTestShop, startTestShop, type TestShop } from '../test-shop.ts';

// The rules of valid tokens are tested in src/server/platform/crypto/tokens.test.ts. These tests are about how the
// shop's calls treat tokens, sessions and credentials.

const shop = await openTestShop();

const signedIn = (overrides?: Parameters<typeof makeUser>[1]) => signedInUser(shop, overrides);

const withToken = (token: string): Shopper => {
  const browser = createShopper(shop.url);
  browser.setToken(token);
  return browser;
};
const me = (browser: Shopper) => browser.get('/api/auth/me');
const refused = { status: 401, body: { code: 'UNAUTHENTICATED' } };

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a session token is refused', () => {
  it.each([
    ['its role', (claims: object) => ({ ...claims, role: 'admin' })],
    ['its user', (claims: object) => ({ ...claims, sub: crypto.randomUUID() })],
    ['its expiry', (claims: object) => ({ ...claims, exp: 9_999_999_999 })],
  ])('if %s was changed', async (_, change) => {
    const { token } = await signedIn();
    const [header, , signature] = token.split('.');
    expect(await me(withToken(`${header}.${encode(change(claimsOf(token)))}.${signature}`))).toMatchObject(refused);
  });

  it('with alg none, signed or not', async () => {
    const { token } = await signedIn();
    const [, claims, signature] = token.split('.');
    const header = encode({ alg: 'none', typ: 'session+jwt' });
    expect(await me(withToken(`${header}.${claims}.`))).toMatchObject(refused);
    expect(await me(withToken(`${header}.${claims}.${signature}`))).toMatchObject(refused);
  });

  it('for the session of another user, even if this shop signed it', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const token = await shop.deps.sessionTokens.sign({
      userId: one.user.id,
      sessionId: claimsOf(other.token).sid,
      expiresAt: new Date(shop.deps.clock.now().getTime() + 60_000),
    });
    expect(await me(withToken(token))).toMatchObject(refused);
  });

  it('from another shop', async () => {
    const { user, token } = await signedIn();
    const foreign = await startTestShop();
    try {
      await makeUser(foreign.deps, { email: user.email });
      const browser = createShopper(foreign.url);
      browser.setToken(token);
      expect(await me(browser)).toMatchObject(refused);
    } finally {
      await foreign.stop();
    }
  });

  it('after logout, but not on other devices', async () => {
    const { user, browser } = await signedIn();
    const other = createShopper(shop.url);
    await other.signIn(user.email, TEST_PASSWORD);
    expect(await browser.post('/api/auth/logout')).toMatchObject({ status: 200 });
    expect(await me(browser)).toMatchObject(refused);
    expect(await me(other)).toMatchObject({ status: 200 });
  });

  it('after the password was changed from another session', async () => {
    const { user, browser } = await signedIn();
    const other = createShopper(shop.url);
    await other.signIn(user.email, TEST_PASSWORD);
    await other.send('PUT', '/api/auth/updatepassword', {
      currentPassword: TEST_PASSWORD,
      newPassword: 'another battery staple',
    });
    expect(await me(browser)).toMatchObject(refused);
  });

  it('unless it is a Bearer token in the Authorization header', async () => {
    const { token } = await signedIn();
    const attempts: [string, Record<string, string>][] = [
      [`?token=${token}`, {}],
      [`?access_token=${token}`, {}],
      ['', { cookie: `token=${token}; access_token=${token}; session=${token}` }],
      ['', { 'x-access-token': token, 'x-auth-token': token }],
      ['', { authorization: token }],
      ['', { authorization: `Basic ${token}` }],
      ['', { authorization: `Bearer ${token}, Bearer ${token}` }],
      ['', { authorization: `Bearer ${token} x` }],
      ['', { 'proxy-authorization': `Bearer ${token}` }],
    ];
    for (const [query, headers] of attempts) {
      const answer = await createShopper(shop.url).send('GET', `/api/auth/me${query}`, undefined, headers);
      expect(answer, JSON.stringify([query, Object.keys(headers)])).toMatchObject(refused);
    }
    expect(await me(withToken(token))).toMatchObject({ status: 200 });
  });
});

describe('the token of a mailed link', () => {
  it.each([
    ['/api/auth/resetpassword', (token: string) => ({ resetToken: token, password: 'a fine password' })],
    ['/api/auth/confirmemail', (token: string) => ({ confirmToken: token })],
    ['/api/auth/claim', (token: string) => ({ claimToken: token, password: 'a fine password' })],
  ])('is refused if it is guessed, forged or malformed: %s', async (path, bodyOf) => {
    const { token } = await signedIn();
    const browser = withToken(token);
    for (const guess of ['x', 'A'.repeat(43), token.slice(0, 200), "' OR 1=1 --", '\u0000', '%00', '../..', 'null']) {
      expect(await browser.post(path, bodyOf(guess)), guess).toMatchObject({
        status: 400,
        body: { code: 'LINK_INVALID' },
      });
    }
    for (const odd of [['x'], { $ne: '' }, 7, null, '', 'x'.repeat(201)]) {
      expect(await browser.post(path, bodyOf(odd as string))).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED' },
      });
    }
  });
});

describe('a visitor', () => {
  it.each([
    ['an empty body', {}],
    ['a complete body', { name: 'Mina', email: 'mina@example.com', password: 'my own choice' }],
    ['the role of an administrator', { name: 'A', email: 'a@example.com', password: 'my own choice', role: 'admin' }],
  ])('cannot register while registration is closed, with %s', async (_, body) => {
    const answer = await createShopper(shop.url).post('/api/auth/register', body);
    expect(answer).toMatchObject({ status: 403, body: { code: 'REGISTRATION_CLOSED' } });
    expect(await shop.deps.db.selectFrom('users').select('id').where('email', 'like', 'mina%').execute()).toEqual([]);
  });

  it('gets the same login response, after the same work, whether or not the email is known', async () => {
    const [known, guest] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    await shop.deps.db.updateTable('users').set({ password_hash: null }).where('id', '=', guest.id).execute();
    // Each login checks one password. password-hasher.test.ts shows that a check without a stored hash takes as long.
    const verify = vi.spyOn(shop.deps.passwords, 'verify');
    const hash = vi.spyOn(shop.deps.passwords, 'hash');
    const answers = [];
    for (const email of [known.email, guest.email, 'never-seen@example.com']) {
      verify.mockClear();
      const answer = await createShopper(shop.url).signIn(email, 'wrong horse');
      expect(verify).toHaveBeenCalledOnce();
      answers.push({
        status: answer.status,
        headers: [...answer.headers.keys()].sort(),
        body: { ...answer.body, requestId: '' },
      });
    }
    expect(hash).not.toHaveBeenCalled();
    expect(answers[0]).toMatchObject({ status: 401, body: { message: 'Invalid email or password' } });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    verify.mockRestore();
    hash.mockRestore();
  });
});

describe('in production', () => {
  let live: TestShop;
  beforeAll(async () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    live = await startTestShop({
      settings: {
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://shop.example',
        MASTER_KEYS: `m:${key}`,
        JWT_KEYS: `j:${key}`,
        TEST_MODE_PAYMENTS: 'allow',
        HOST: '127.0.0.1',
      },
    });
  });
  afterAll(() => live.stop());

  it('the demo accounts cannot sign in', async () => {
    for (const { email, password } of demoAccounts) {
      expect(await createShopper(live.url).signIn(email, password)).toMatchObject({ status: 401 });
    }
    expect((await createShopper(live.url).get('/api/shop')).body.data).toMatchObject({ demoAccounts: [] });
  });

  it('a database with demo data is refused', async () => {
    await live.deps.db.insertInto('shop_facts').values({ name: 'demo', value: 'then' }).execute();
    await expect(startShop({ ...live.deps.config, port: 0 })).rejects.toThrow(/^DATABASE_URL .*demo/);
  });
});
