import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsGuest } from '../purchases.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { type Answer, createShopper, type Shopper } from '../shopper.ts';
import { signedIn } from '../signed-in.ts';
import { openTestShop, PATIENT, startTestShop, type TestShop } from '../test-shop.ts';

const NEW_PASSWORD = 'another battery staple';

// At the real cost of a hash, so that calls queue.
const shop = await openTestShop({ ...PATIENT, passwords: createPasswordHasher() });

let tokens = 0;
const badToken = () => {
  tokens += 1;
  return String(tokens).padStart(43, 'A');
};
const claim = (claimToken: string, { url } = shop, from?: string) =>
  createShopper(url, from === undefined ? {} : { from }).post('/api/auth/claim', {
    claimToken,
    password: NEW_PASSWORD,
  });
const reset = (resetToken: string, { url } = shop, from?: string) =>
  createShopper(url, from === undefined ? {} : { from }).post('/api/auth/resetpassword', {
    resetToken,
    password: NEW_PASSWORD,
  });
const forget = (email: string) => createShopper(shop.url).post('/api/auth/forgotpassword', { email });

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

async function newDeviceOf({ email }: UserRow, { url } = shop): Promise<Shopper> {
  const browser = createShopper(url);
  expect(await browser.signIn(email, TEST_PASSWORD)).toMatchObject({ status: 200 });
  return browser;
}

const confirm = (browser?: Shopper) => browser?.post('/api/auth/reauthenticate', { password: TEST_PASSWORD });

/** Returns a guest who has just paid and whose browser has not placed the order yet. */
async function paidGuest(email: string) {
  const cart = [{ product: await makeProduct(shop.deps, { items: 1 }), quantity: 1 }];
  const browser = createShopper(shop.url);
  const { place } = await browser.authorise(cart, { email, password: NEW_PASSWORD });
  return {
    browser,
    place,
    finish: () => browser.post('/api/digital-orders/guest/checkout', { password: NEW_PASSWORD }),
  };
}

/** Creates an order of a guest who never chose a password; returns the token of its mailed link. */
async function claimToken(email: string): Promise<string> {
  const cart = [{ product: await makeProduct(shop.deps, { items: 1 }), quantity: 1 }];
  const browser = createShopper(shop.url);
  const { place } = await browser.authorise(cart, { email, password: 'nobody asks' });
  browser.cookies.clear();
  const placed = await place();
  expect(placed).toMatchObject({ status: 201, body: { data: { access: 'check-mail' } } });
  return linkTokenTo(shop, email, '/claim');
}

async function resetToken(email: string): Promise<string> {
  await forget(email);
  return linkTokenTo(shop, email, '/reset-password');
}

describe('no password is hashed', () => {
  it.each<[string, () => Promise<[string, (token: string) => Promise<unknown>]>]>([
    ['an unknown claim token', async () => [badToken(), claim]],
    ['an unknown reset token', async () => [badToken(), reset]],
    [
      'a used claim token',
      async () => {
        const token = await claimToken('used-claim@example.com');
        expect(await claim(token)).toMatchObject({ status: 200 });
        return [token, claim];
      },
    ],
    [
      'a used reset token',
      async () => {
        const token = await resetToken((await makeUser(shop.deps)).email);
        expect(await reset(token)).toMatchObject({ status: 200 });
        return [token, reset];
      },
    ],
    [
      'a claim token of an email that was verified meanwhile',
      async () => {
        const token = await claimToken('proven@example.com');
        await shop.deps.db
          .updateTable('users')
          .set({ email_verified_at: shop.deps.clock.now() })
          .where('email', '=', 'proven@example.com')
          .execute();
        return [token, claim];
      },
    ],
    [
      'a reset token from before the password last changed',
      async () => {
        const { id, email } = await makeUser(shop.deps);
        const token = await resetToken(email);
        shop.pass(1_000);
        await shop.deps.db
          .updateTable('users')
          .set({ password_changed_at: shop.deps.clock.now() })
          .where('id', '=', id)
          .execute();
        return [token, reset];
      },
    ],
    [
      'an expired reset token',
      async () => {
        const token = await resetToken((await makeUser(shop.deps)).email);
        shop.pass(3_600_000);
        return [token, reset];
      },
    ],
  ])('for %s', async (_name, prepare) => {
    const [token, send] = await prepare();
    const hash = vi.spyOn(shop.deps.passwords, 'hash');
    try {
      const answers = await times(5, () => send(token));
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
      }
      expect(hash).not.toHaveBeenCalled();
    } finally {
      hash.mockRestore();
    }
  });

  it('for an administrator’s password that is too short', async () => {
    const token = await resetToken((await makeUser(shop.deps, { role: 'admin' })).email);
    const hash = vi.spyOn(shop.deps.passwords, 'hash');
    try {
      const short = { resetToken: token, password: 'only eleven' };
      expect(await createShopper(shop.url).post('/api/auth/resetpassword', short)).toMatchObject({
        status: 400,
        body: { field: 'password' },
      });
      expect(hash).not.toHaveBeenCalled();
    } finally {
      hash.mockRestore();
    }
  });
});

describe('strangers who fill the password-hashing queue', () => {
  // More than the hashes that may run and wait.
  const LOGINS = 76;
  const BAD_LINKS = 8;

  /**
   * Keeps LOGINS bad logins and BAD_LINKS bad links under way until `work` is done; returns the count of each status.
   */
  async function flooded(work: () => Promise<void>): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    let done = false;
    const { promise: queueIsFull, resolve: refused } = Promise.withResolvers<void>();
    const keepSending = async (send: () => Promise<Answer>) => {
      while (!done) {
        const { status } = await send();
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 503) refused();
      }
    };
    const strangers = Promise.all([
      times(LOGINS, (index) =>
        keepSending(() => createShopper(shop.url).signIn(`stranger-${index}@example.com`, 'a guess')),
      ),
      times(BAD_LINKS, (index) => keepSending(() => (index % 2 ? claim : reset)(badToken()))),
    ]);
    try {
      await queueIsFull;
      await work();
    } finally {
      done = true;
      await strangers;
    }
    return statuses;
  }

  it('do not block guests who have paid, users with a mailed link, or signed-in users', async () => {
    const guests = await times(4, (index) => paidGuest(`queue-guest-${index}@example.com`));
    const claimable = await claimToken('queue-claim@example.com');
    const resettable = await resetToken((await makeUser(shop.deps)).email);
    const member = await signedIn(shop);
    const newPassword = { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD };

    const statuses = await flooded(async () => {
      const answers = await Promise.all([
        ...guests.map(({ place, finish }, index) => (index % 2 ? place() : finish())),
        claim(claimable),
        reset(resettable),
        member.send('PUT', '/api/auth/updatepassword', newPassword),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 201, 200, 200, 200]);
    });
    // The strangers met a full queue; their bad links were refused without the queue.
    expect(statuses[503]).toBeGreaterThan(0);
    expect(statuses[400]).toBeGreaterThan(0);
  });
});

describe('the right password of an account', () => {
  let limited: TestShop;
  beforeAll(async () => {
    limited = await startTestShop({ settings: { RATE_LIMITS: 'on' }, passwords: createPasswordHasher() });
  });
  afterAll(() => limited.stop());
  const tooMany = { status: 429, body: { code: 'RATE_LIMITED' } };

  it('can be confirmed 30 times an hour, in all sessions together', async () => {
    const member = await makeUser(limited.deps);
    const sessions = await times(2, () => newDeviceOf(member, limited));
    for (let index = 0; index < 30; index += 1) {
      expect(await confirm(sessions[index % 2])).toMatchObject({ status: 200 });
    }
    for (const session of sessions) expect(await confirm(session)).toMatchObject(tooMany);
    expect(await confirm(await newDeviceOf(await makeUser(limited.deps), limited))).toMatchObject({ status: 200 });
  });

  it('can be changed 30 times an hour, so that no more mails go to its address, which may be a stranger’s', async () => {
    const member = await makeUser(limited.deps, { email_verified_at: null });
    const session = await newDeviceOf(member, limited);
    let [currentPassword, newPassword] = [TEST_PASSWORD, NEW_PASSWORD];
    for (let index = 0; index < 30; index += 1) {
      const changed = await session.send('PUT', '/api/auth/updatepassword', { currentPassword, newPassword });
      expect(changed).toMatchObject({ status: 200 });
      [currentPassword, newPassword] = [newPassword, currentPassword];
    }
    const refused = await session.send('PUT', '/api/auth/updatepassword', { currentPassword, newPassword });
    expect(refused).toMatchObject(tooMany);
    const mails = limited.deps.db.selectFrom('mails').select('id').where('recipient', '=', member.email);
    expect(await mails.execute()).toHaveLength(30);
  });

  it('signs in 60 times an hour on a known device, so that the sessions of an account have a limit', async () => {
    const member = await makeUser(limited.deps);
    const own = await newDeviceOf(member, limited);
    for (let index = 0; index < 60; index += 1) {
      expect(await own.signIn(member.email, TEST_PASSWORD)).toMatchObject({ status: 200 });
    }
    expect(await own.signIn(member.email, TEST_PASSWORD)).toMatchObject(tooMany);
    // So a thief of the password, who has a device of their own, does not lock the owner's.
    await newDeviceOf(member, limited);
  });

  it('signs in 300 times an hour in the browser of the guest who paid', async () => {
    const { orderId, buyer, guest } = await buyAsGuest(limited, { quantity: 1 });
    const finish = () => buyer.post('/api/digital-orders/guest/checkout', { password: guest.password });
    const { limits } = limited.deps;
    for (let index = 1; index < 300; index += 1) {
      await limits.countFailures('guest-password', { device: orderId }, () => Promise.resolve());
    }
    expect(await finish()).toMatchObject({ status: 200, body: { data: { access: 'signed-in' } } });
    expect(await finish()).toMatchObject(tooMany);
    expect(await buyer.readKeys(orderId)).toHaveLength(1);
  });
});

it('an IP address may send 30 invalid links in 15 minutes, and valid links still work', async () => {
  const limited = await startTestShop({
    settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1' },
    passwords: createPasswordHasher(),
  });
  try {
    const [flooder, neighbour] = ['203.0.113.9', '203.0.113.10'];
    const { email } = await makeUser(limited.deps);
    await createShopper(limited.url).post('/api/auth/forgotpassword', { email });
    const token = await linkTokenTo(limited, email, '/reset-password');
    const answers = await times(40, (index) => (index % 2 ? claim : reset)(badToken(), limited, flooder));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(30);
    expect(refused).toHaveLength(10);
    for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await claim(badToken(), limited, neighbour)).toMatchObject({ status: 400 });
    expect(await reset(token, limited, flooder)).toMatchObject({ status: 200 });
  } finally {
    await limited.stop();
  }
});
