import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { MINUTE_MS } from '../../src/shared/durations.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { type Answer, createShopper, type Shopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';
import { type AccountWithTwoFactor, makeUserWithTwoFactor } from '../two-factor.ts';

const NEW_PASSWORD = 'another battery staple';
const tooMany = { status: 429, body: { code: 'RATE_LIMITED' } };
const wrong = { status: 401, body: { code: 'INVALID_CREDENTIALS' } };
const signedInNow = { status: 200, body: { token: expect.any(String) } };

let shop: TestShop;
beforeAll(async () => {
  const settings = { RATE_LIMITS: 'on', TRUST_PROXY: '1', OPEN_REGISTRATION: 'true' };
  shop = await startTestShop({ settings });
});
afterAll(() => shop.stop());

// The counters use the machine's clock. The test stops that clock, and pass() moves it.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

let addresses = 0;
function newAddress(): string {
  addresses += 1;
  return `10.1.${addresses >> 8}.${addresses & 255}`;
}
const from = (address = newAddress()) => createShopper(shop.url, { from: address });

const times = async (count: number, work: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < count; index += 1) await work(index);
};
const logIn = (browser: Shopper, { email }: Pick<UserRow, 'email'>, password = TEST_PASSWORD) =>
  browser.post('/api/auth/login', { email, password });
const guess = (browser: Shopper, user: Pick<UserRow, 'email'>) => logIn(browser, user, 'a guess');

/** Returns a browser in which the user has signed in, and which keeps its IP address. */
async function knownDevice(user: UserRow): Promise<Shopper> {
  const browser = from();
  expect(await browser.signIn(user.email, TEST_PASSWORD)).toMatchObject(signedInNow);
  return browser;
}

/** Uses up an account's tries for strangers, from ten IP addresses, without the work of checking their guesses. */
async function lockOut({ email: account }: Pick<UserRow, 'email'>): Promise<void> {
  let address = '';
  for (let tries = 0, isLocked = false; !isLocked; tries += 1) {
    expect(tries).toBeLessThanOrEqual(100);
    if (tries % 10 === 0) address = newAddress();
    const counted = shop.deps.limits.count('failed-login', { account, address });
    isLocked = await counted.then(
      () => false,
      ({ code }) => code === 'RATE_LIMITED',
    );
  }
  expect(await guess(from(), { email: account })).toMatchObject(tooMany);
}

const secondsOf = ({ headers }: Answer) => Number(headers.get('retry-after'));

describe('an account locked by failed logins', () => {
  it('accepts a login only from a device that has signed in to it', async () => {
    const [user, other] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    const [own, others] = [await knownDevice(user), await knownDevice(other)];
    const strangers = Array.from({ length: 10 }, () => from());
    await Promise.all(strangers.map((stranger) => times(10, () => guess(stranger, user))));
    expect(await logIn(own, user)).toMatchObject(signedInNow);
    expect(await logIn(others, user)).toMatchObject(tooMany);
    expect(await logIn(from(), user)).toMatchObject(tooMany);
  });

  it('accepts a login from a known device that has signed out, even from a locked IP address', async () => {
    const user = await makeUser(shop.deps);
    const address = newAddress();
    const own = from(address);
    await own.signIn(user.email, TEST_PASSWORD);
    await own.post('/api/auth/logout');
    await times(100, (index) =>
      shop.deps.limits.count('failed-login', { account: `nobody-${index}@example.com`, address }),
    );
    expect(await logIn(from(address), user)).toMatchObject(tooMany);
    expect(await logIn(own, user)).toMatchObject(signedInNow);
  });

  it('accepts a login from the device on which its owner has reset the password', async () => {
    const user = await makeUser(shop.deps);
    await lockOut(user);
    const elsewhere = from();
    await elsewhere.post('/api/auth/forgotpassword', { email: user.email });
    const resetToken = await linkTokenTo(shop, user.email, '/reset-password');
    const reset = await elsewhere.post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
    expect(reset.status).toBe(200);
    expect(await logIn(elsewhere, user, NEW_PASSWORD)).toMatchObject(signedInNow);
    expect(await logIn(from(), user, NEW_PASSWORD)).toMatchObject(tooMany);
  });

  it('gives strangers the same responses as an email without an account', async () => {
    const [user, unknown] = [await makeUser(shop.deps), { email: 'no-account@example.com' }];
    const plain = ({ status, headers, body }: Answer) => [
      status,
      [...headers.keys()].sort(),
      headers.get('retry-after'),
      { ...body, requestId: '' },
    ];
    const seen: [unknown[], unknown[]] = [[], []];
    await times(13, async () => {
      seen[0].push(plain(await guess(from('198.51.100.1'), user)));
      seen[1].push(plain(await guess(from('198.51.100.1'), unknown)));
    });
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0].map((answer) => (answer as unknown[])[0])).toEqual([...Array(10).fill(401), 429, 429, 429]);
  });
});

describe('a device', () => {
  it('may fail ten times in 15 minutes from any IP address, without affecting another device of the user', async () => {
    const user = await makeUser(shop.deps);
    const [guessing, other] = [await knownDevice(user), await knownDevice(user)];
    await times(10, async () => expect(await guess(guessing, user)).toMatchObject(wrong));
    expect(await logIn(guessing, user)).toMatchObject(tooMany);
    const elsewhere = from();
    elsewhere.cookies.set('device', guessing.cookies.get('device') ?? '');
    expect(await logIn(elsewhere, user)).toMatchObject(tooMany);
    expect(await logIn(other, user)).toMatchObject(signedInNow);
    pass(15 * MINUTE_MS);
    expect(await logIn(guessing, user)).toMatchObject(signedInNow);
  });

  it('is not rate limited for correct passwords', async () => {
    const user = await makeUser(shop.deps);
    const own = await knownDevice(user);
    await times(12, async () => expect(await logIn(own, user)).toMatchObject(signedInNow));
  });

  it('is identified by one HttpOnly, SameSite=Strict cookie for /api/auth, whose token is not stored in plain text', async () => {
    const user = await makeUser(shop.deps);
    const answer = await logIn(from(), user);
    const [cookie = '', ...more] = answer.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(cookie).toMatch(new RegExp(`^device=${user.id}\\.[\\w-]{43}; `));
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=31536000',
      'Path=/api/auth',
      'SameSite=Strict',
    ]);
    const stored = await shop.deps.db.selectFrom('devices').selectAll().where('user_id', '=', user.id).execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(cookie.slice(44, 87));
  });

  it('keeps its cookie and counts once when it signs in again', async () => {
    const user = await makeUser(shop.deps);
    const own = await knownDevice(user);
    const cookie = own.cookies.get('device');
    await times(3, () => logIn(own, user));
    expect(own.cookies.get('device')).toBe(cookie);
    expect(
      await shop.deps.db.selectFrom('devices').select('user_id').where('user_id', '=', user.id).execute(),
    ).toHaveLength(1);
  });

  const waysIn: [string, () => Promise<{ browser: Shopper; user: { email: string }; password: string }>][] = [
    [
      'registers',
      async () => {
        const [browser, user] = [from(), { email: `new-${newAddress()}@example.com` }];
        await browser.post('/api/auth/register', { name: 'New', ...user, password: NEW_PASSWORD });
        return { browser, user, password: NEW_PASSWORD };
      },
    ],
    [
      'pays as a guest and chooses a password',
      async () => {
        const [browser, user] = [from(), { email: `guest-${newAddress()}@example.com` }];
        const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
        await (await browser.authorise(cart, { ...user, password: NEW_PASSWORD })).place();
        return { browser, user, password: NEW_PASSWORD };
      },
    ],
    [
      'claims an order by its mailed link',
      async () => {
        const [buyer, user] = [from(), { email: `claim-${newAddress()}@example.com` }];
        const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
        const { place } = await buyer.authorise(cart, { ...user, password: 'nobody asks' });
        buyer.cookies.clear();
        await place();
        const browser = from();
        const claimToken = await linkTokenTo(shop, user.email, '/claim');
        await browser.post('/api/auth/claim', { claimToken, password: NEW_PASSWORD });
        return { browser, user, password: NEW_PASSWORD };
      },
    ],
  ];
  it.each(waysIn)('becomes known when its user %s', async (_name, comeIn) => {
    const { browser, user, password } = await comeIn();
    await lockOut(user);
    expect(await logIn(browser, user, password)).toMatchObject(signedInNow);
  });
});

describe('a device is forgotten', () => {
  const forgetting: [string, (user: UserRow, own: Shopper) => Promise<string | undefined>][] = [
    [
      'when the password is changed on another device',
      async (_user, own) => {
        const body = { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD };
        await own.send('PUT', '/api/auth/updatepassword', body);
        return NEW_PASSWORD;
      },
    ],
    [
      'when all other sessions are ended from another device',
      async (_user, own) => {
        await own.send('DELETE', '/api/auth/sessions');
        return undefined;
      },
    ],
    [
      'when its session is ended from another device',
      async (_user, own) => {
        const sessions = (await own.get('/api/auth/sessions')).body.data as unknown as {
          id: string;
          current: boolean;
        }[];
        const other = sessions.find(({ current }) => !current);
        expect((await own.send('DELETE', `/api/auth/sessions/${other?.id}`)).status).toBe(200);
        return undefined;
      },
    ],
  ];
  it.each(forgetting)('%s, which stays known', async (_name, forget) => {
    const user = await makeUser(shop.deps);
    const [lost, own] = [await knownDevice(user), await knownDevice(user)];
    const password = await forget(user, own);
    await lockOut(user);
    expect(await logIn(lost, user, password)).toMatchObject(tooMany);
    expect(await logIn(own, user, password)).toMatchObject(signedInNow);
  });

  it('when the password is reset by mail', async () => {
    const user = await makeUser(shop.deps);
    const lost = await knownDevice(user);
    await from().post('/api/auth/forgotpassword', { email: user.email });
    const resetToken = await linkTokenTo(shop, user.email, '/reset-password');
    await from().post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
    await lockOut(user);
    expect(await logIn(lost, user, NEW_PASSWORD)).toMatchObject(tooMany);
  });

  it('when its user is blocked', async () => {
    const [user, admin] = [await makeUser(shop.deps), await makeUser(shop.deps, { role: 'admin' })];
    const lost = await knownDevice(user);
    const desk = await knownDevice(admin);
    const blocked = await desk.send('PUT', `/api/admin/users/${user.id}/block`, { blocked: true, reason: 'a test' });
    expect(blocked.status).toBe(200);
    await lockOut(user);
    expect(await logIn(lost, user)).toMatchObject(tooMany);
  });

  it('a year after it was last used', async () => {
    const user = await makeUser(shop.deps);
    const lost = await knownDevice(user);
    pass(365 * 24 * 60 * MINUTE_MS);
    await lockOut(user);
    expect(await logIn(lost, user)).toMatchObject(tooMany);
  });
});

describe('a stranger', () => {
  it('is limited to ten logins from an IP address, even with the right password', async () => {
    const user = await makeUser(shop.deps);
    const address = newAddress();
    await times(10, async () => expect(await logIn(from(address), user)).toMatchObject(signedInNow));
    expect(await logIn(from(address), user)).toMatchObject(tooMany);
  });

  it('waits twice as long after each refused login, and gets one try after each wait', async () => {
    const user = await makeUser(shop.deps);
    const address = newAddress();
    await times(10, () => guess(from(address), user));
    const waits: number[] = [];
    await times(4, async () => waits.push(secondsOf(await guess(from(address), user))));
    expect(waits).toEqual([20, 40, 80, 160]);
    pass(159_000);
    const early = await logIn(from(address), user);
    expect(early).toMatchObject(tooMany);
    expect(secondsOf(early)).toBe(320);
    pass(320_000);
    expect(await logIn(from(address), user)).toMatchObject(signedInNow);
    expect(await logIn(from(address), user)).toMatchObject(tooMany);
    // The count begins again 15 minutes after the first of these tries.
    pass((15 * 60 - 159 - 320) * 1_000);
    expect(await logIn(from(address), user)).toMatchObject(signedInNow);
  });

  it('with a device cookie that is forged, truncated or from another account remains a stranger', async () => {
    const [user, other] = [await makeUser(shop.deps), await makeUser(shop.deps)];
    const [own, others] = [await knownDevice(user), await knownDevice(other)];
    const ownCookie = own.cookies.get('device') ?? '';
    const othersToken = others.cookies.get('device')?.split('.')[1];
    await lockOut(user);
    const madeUp = [
      `${user.id}.${'A'.repeat(43)}`,
      `${user.id}.${othersToken}`,
      `${other.id}.${ownCookie.split('.')[1]}`,
      ownCookie.slice(0, -1),
      `${ownCookie}A`,
      user.id,
      '',
      "'--",
    ];
    for (const cookie of madeUp) {
      const thief = from();
      thief.cookies.set('device', cookie);
      expect(await logIn(thief, user)).toMatchObject(tooMany);
    }
    expect(await logIn(own, user)).toMatchObject(signedInNow);
  });
});

describe('two-factor codes', () => {
  let account: AccountWithTwoFactor;
  beforeEach(async () => {
    account = await makeUserWithTwoFactor(shop);
  });

  const begin = async (browser: Shopper) => String((await logIn(browser, account.user)).body['pendingToken']);
  const finish = (browser: Shopper, pendingToken: string, twoFactorToken: string) =>
    browser.post('/api/auth/login', { pendingToken, twoFactorToken });
  /** Signs in by the present code, in a new browser. */
  async function knownDeviceOf({ code }: AccountWithTwoFactor): Promise<Shopper> {
    const browser = from();
    const { body } = await finish(browser, await begin(browser), code());
    browser.setToken(body.token);
    return browser;
  }
  async function exhaust(browser: Shopper): Promise<void> {
    for (const pendingToken of [await begin(browser), await begin(browser)]) {
      await times(5, () => finish(browser, pendingToken, 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA'));
    }
    expect(await finish(browser, await begin(browser), account.code())).toMatchObject(tooMany);
  }

  it('tried by a stranger with the password do not lock out a known device', async () => {
    const { shopper: own } = account;
    await exhaust(from());
    expect(await finish(from(), await begin(from()), account.code())).toMatchObject(tooMany);
    expect(await finish(own, await begin(own), account.code())).toMatchObject(signedInNow);
  });

  it('tried on a known device do not lock out a new device', async () => {
    const { shopper: lost } = account;
    await exhaust(lost);
    expect(await finish(from(), await begin(from()), account.code())).toMatchObject(signedInNow);
  });

  it('do not register a forgotten device token for another account named in its cookie', async () => {
    const [{ shopper: thief }, victim] = [account, await makeUser(shop.deps)];
    const own = await knownDeviceOf(account);
    const pendingToken = await begin(thief);
    await own.send('DELETE', '/api/auth/sessions');
    const cookie = `${victim.id}.${thief.cookies.get('device')?.split('.')[1]}`;
    thief.cookies.set('device', cookie);
    expect(await finish(thief, pendingToken, account.code(1))).toMatchObject(signedInNow);
    await lockOut(victim);
    thief.cookies.set('device', cookie);
    expect(await logIn(thief, victim)).toMatchObject(tooMany);
  });

  it('make a device known', async () => {
    const browser = from();
    expect(await finish(browser, await begin(browser), account.code())).toMatchObject(signedInNow);
    await lockOut(account.user);
    expect((await logIn(browser, account.user)).body['pendingToken']).toBeDefined();
  });
});

it('password guesses in a stolen session do not use up the attempts of the owner’s other sessions', async () => {
  const user = await makeUser(shop.deps);
  const [stolen, own] = [await knownDevice(user), await knownDevice(user)];
  const change = (browser: Shopper, currentPassword: string) =>
    browser.send('PUT', '/api/auth/updatepassword', { currentPassword, newPassword: NEW_PASSWORD });
  await times(10, () => change(stolen, 'a guess'));
  expect(await change(stolen, TEST_PASSWORD)).toMatchObject(tooMany);
  expect(await change(own, TEST_PASSWORD)).toMatchObject({ status: 200 });
});
