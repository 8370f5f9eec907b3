import { describe, expect, it } from 'vitest';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { type Body, createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';

const shop = await openTestShop();

async function signIn(email: string, extra: object = {}, userAgent = 'Test/1'): Promise<Shopper> {
  const browser = createShopper(shop.url);
  const { body } = await browser.send(
    'POST',
    '/api/auth/login',
    { email, password: TEST_PASSWORD, ...extra },
    { 'user-agent': userAgent },
  );
  browser.setToken(body.token);
  return browser;
}

const isIn = async (browser: Shopper) => (await browser.get('/api/auth/me')).status === 200;
const sessionsOf = async (browser: Shopper): Promise<Body[]> =>
  (await browser.get('/api/auth/sessions')).body.data ?? [];

describe('the list of sessions', () => {
  it('has the latest session first, and marks the current one', async () => {
    const { email } = await makeUser(shop.deps);
    const phone = await signIn(email, {}, 'Phone/1');
    shop.pass(MINUTE_MS);
    const desk = await signIn(email, {}, 'Desk/1');
    await signIn((await makeUser(shop.deps)).email, {}, 'Somebody else');

    expect(await sessionsOf(phone)).toMatchObject([
      { userAgent: 'Desk/1', ip: expect.stringMatching(/127\.0\.0\.1$|::1$/), current: false },
      { userAgent: 'Phone/1', current: true },
    ]);
    shop.pass(5 * MINUTE_MS);
    await phone.get('/api/auth/me');
    expect(await sessionsOf(desk)).toMatchObject([
      { userAgent: 'Phone/1', current: false },
      { userAgent: 'Desk/1', current: true },
    ]);
  });

  it('omits ended and expired sessions', async () => {
    const { email } = await makeUser(shop.deps);
    const ended = await signIn(email);
    await ended.post('/api/auth/logout');
    await signIn(email);
    shop.pass(12 * HOUR_MS);
    const browser = await signIn(email);
    expect(await sessionsOf(browser)).toMatchObject([{ current: true }]);
  });
});

describe('a session', () => {
  it('is rejected after its user has ended it from another device', async () => {
    const { email } = await makeUser(shop.deps);
    const [lost, own] = [await signIn(email), await signIn(email)];
    const id = (await sessionsOf(own)).find(({ current }) => !current)?.['id'];
    expect(await own.send('DELETE', `/api/auth/sessions/${id}`)).toMatchObject({ status: 200 });
    expect([await isIn(lost), await isIn(own)]).toEqual([false, true]);
    expect(await own.send('DELETE', `/api/auth/sessions/${id}`)).toMatchObject({ status: 404 });
  });

  it('of another user gets the same 404 as an unknown one', async () => {
    const victim = await signIn((await makeUser(shop.deps)).email);
    const id = (await sessionsOf(victim))[0]?.['id'];
    const thief = await signIn((await makeUser(shop.deps)).email);
    const refused = await thief.send('DELETE', `/api/auth/sessions/${id}`);
    const missing = await thief.send('DELETE', `/api/auth/sessions/${crypto.randomUUID()}`);
    expect(refused).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect({ ...missing.body, requestId: '' }).toEqual({ ...refused.body, requestId: '' });
    expect(await isIn(victim)).toBe(true);
  });

  it('continues when its user ends all others, and so do the sessions of other users', async () => {
    const { email } = await makeUser(shop.deps);
    const [one, other, own] = [await signIn(email), await signIn(email), await signIn(email)];
    const neighbour = await signIn((await makeUser(shop.deps)).email);
    expect(await own.send('DELETE', '/api/auth/sessions')).toMatchObject({ status: 200 });
    expect([await isIn(one), await isIn(other), await isIn(own), await isIn(neighbour)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('saves its last use every five minutes, not with each request', async () => {
    const { id, email } = await makeUser(shop.deps);
    const browser = await signIn(email);
    const lastSeen = async () =>
      (
        await shop.deps.db
          .selectFrom('sessions')
          .select('last_seen_at')
          .where('user_id', '=', id)
          .executeTakeFirstOrThrow()
      ).last_seen_at.getTime();
    const start = await lastSeen();
    shop.pass(4 * MINUTE_MS);
    await browser.get('/api/auth/me');
    expect(await lastSeen()).toBe(start);
    shop.pass(MINUTE_MS);
    await browser.get('/api/digital-orders/myorders');
    expect(await lastSeen()).toBe(start);
    await browser.get('/api/auth/me');
    expect(await lastSeen()).toBeGreaterThanOrEqual(start + 5 * MINUTE_MS);
  });

  it.each([
    ['a customer, 12 hours', 'customer', {}, 12],
    ['a customer who asks to be remembered, 30 days', 'customer', { rememberMe: true }, 30 * 24],
    ['an administrator, 8 hours', 'admin', {}, 8],
    ['an administrator who asks to be remembered, 8 hours all the same', 'admin', { rememberMe: true }, 8],
  ] as const)('lasts for %s', async (_, role, extra, hours) => {
    const browser = await signIn((await makeUser(shop.deps, { role })).email, extra);
    shop.pass(hours * HOUR_MS - MINUTE_MS);
    expect(await isIn(browser)).toBe(true);
    shop.pass(MINUTE_MS);
    expect(await browser.get('/api/auth/me')).toMatchObject({
      status: 401,
      body: { message: 'Session expired. Please login again.' },
    });
  });
});
