import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertOrder, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { type Body, createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { UserRow } from '../../platform/database/tables.ts';

let boss: UserRow;
let desk: Shopper;
const shop = await openTestShop();
// No other administrators, so that each test decides who is the last.
beforeEach(async () => {
  await shop.deps.db.updateTable('users').set({ role: 'customer' }).execute();
  boss = await makeUser(shop.deps, { role: 'admin', name: 'The Boss' });
  desk = await signedIn(boss);
});

async function signedIn({ email }: UserRow): Promise<Shopper> {
  const shopper = createShopper(shop.url);
  await shopper.signIn(email, TEST_PASSWORD);
  return shopper;
}

const setRole = (by: Shopper, id: string, role: string) => by.send('PUT', `/api/admin/users/${id}/role`, { role });
const roleOf = async (id: string) =>
  (await shop.deps.db.selectFrom('users').select('role').where('id', '=', id).executeTakeFirstOrThrow()).role;
const list = async (query: string) => (await desk.get(`/api/admin/users?${query}`)).body;
const names = (body: Body) => body.data?.map((user) => user['name']);
const audited = async (subjectId: string) =>
  (
    await shop.deps.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'summary'])
      .where('subject_id', '=', subjectId)
      .where('action', '!=', 'user.signed-in')
      .orderBy('id')
      .execute()
  ).map(({ actor, action, summary }) => [actor, action, summary]);

describe('the list of users', () => {
  it('is searched by any part of name or email, case-insensitively and without patterns', async () => {
    await makeUser(shop.deps, { name: 'Zaleha binti Omar', email: 'zz.omar@example.com' });
    await makeUser(shop.deps, { name: '100% Zainal_A', email: 'percent@example.com' });
    expect(names(await list('q=LEHA%20binti'))).toEqual(['Zaleha binti Omar']);
    expect(names(await list('q=ZZ.omar@'))).toEqual(['Zaleha binti Omar']);
    expect(await list('q=zz.omar@elsewhere')).toMatchObject({ data: [], total: 0 });
    expect(names(await list('q=%25%20zainal_'))).toEqual(['100% Zainal_A']);
    expect(await list('q=_____________________________________')).toMatchObject({ data: [], total: 0 });
  });

  it('is sorted newest first, and its pages neither miss nor repeat a user', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift((await makeUser(shop.deps, { name: `Paged ${n}` })).name);
    const first = await list('q=Paged&limit=2');
    const second = await list(`q=Paged&limit=2&cursor=${first['nextCursor']}`);
    const third = await list(`q=Paged&limit=2&cursor=${second['nextCursor']}`);
    expect([first, second, third].flatMap(names)).toEqual(made);
    expect([first['total'], third['nextCursor']]).toEqual([5, null]);
  });

  it('has the number of orders and the amount paid and not refunded', async () => {
    const user = await makeUser(shop.deps, { name: 'Big Spender' });
    const owner = { user_id: user.id, contact_email: user.email, guest: false };
    const orders = [
      {},
      { refunded_cents: 530 },
      { state: 'refunded', refunded_cents: 1060 },
      { state: 'disputed' },
      { state: 'cancelled', cancel_reason: 'abandoned' },
    ] as const;
    for (const order of orders) await insertOrder(shop.deps.db, new Date(), { ...owner, ...order });
    expect((await list('q=Big%20Spender')).data?.[0]).toMatchObject({ orderCount: 4, totalSpent: 15.9 });
    expect((await desk.get(`/api/admin/users/${user.id}`)).body.data).toMatchObject({
      orderCount: 4,
      totalSpent: 15.9,
      orders: expect.arrayContaining([expect.objectContaining({ refundedPrice: 5.3, state: 'fulfilled' })]),
    });
  });
});

describe('a user’s page', () => {
  it('shows sessions and two-factor, but no secret', async () => {
    const user = await makeUser(shop.deps);
    await signedIn(user);
    const { body } = await desk.get(`/api/admin/users/${user.id}`);
    expect(body.data).toMatchObject({
      email: user.email,
      twoFactor: { enabled: false },
      sessions: [{ current: false }],
      orders: [],
      blockedAt: null,
    });
    expect(JSON.stringify(body)).not.toMatch(/argon2|password/i);
    expect(await desk.get(`/api/admin/users/${uuidv7()}`)).toMatchObject({ status: 404 });
  });
});

describe('a change of the administrator role', () => {
  it('ends the user’s sessions and is in the audit log', async () => {
    const user = await makeUser(shop.deps);
    const browser = await signedIn(user);
    expect(await setRole(desk, user.id, 'admin')).toMatchObject({
      status: 200,
      body: { data: { role: 'admin', sessions: [] } },
    });
    expect((await browser.get('/api/auth/me')).status).toBe(401);
    expect((await (await signedIn(user)).get('/api/admin/users')).status).toBe(200);
    await setRole(desk, user.id, 'admin');
    await setRole(desk, user.id, 'customer');
    expect(await audited(user.id)).toEqual([
      [boss.email, 'user.made-admin', `${user.email} is now an administrator`],
      [boss.email, 'user.unmade-admin', `${user.email} is no longer an administrator`],
    ]);
  });

  it('is refused for the last administrator, not counting blocked ones', async () => {
    const other = await makeUser(shop.deps, { role: 'admin' });
    await shop.deps.db
      .updateTable('users')
      .set({ blocked_at: new Date(), block_reason: 'gone' })
      .where('id', '=', other.id)
      .execute();
    expect(await setRole(desk, boss.id, 'customer')).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN' } });
    expect(await roleOf(boss.id)).toBe('admin');
    expect(await audited(boss.id)).toEqual([]);
  });

  it('leaves one of two administrators who remove each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const rivals = [await makeUser(shop.deps, { role: 'admin' }), await makeUser(shop.deps, { role: 'admin' })];
      await shop.deps.db.updateTable('users').set({ role: 'customer' }).where('id', '=', boss.id).execute();
      const [one, other] = rivals as [UserRow, UserRow];
      const desks = [await signedIn(one), await signedIn(other)] as const;
      const answers = await Promise.all([
        setRole(desks[0], other.id, 'customer'),
        setRole(desks[1], one.id, 'customer'),
      ]);
      // The second call is rejected at the lock, or already at authentication.
      expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([401, 403])]);
      expect([await roleOf(one.id), await roleOf(other.id)].sort()).toEqual(['admin', 'customer']);
      await shop.deps.db.updateTable('users').set({ role: 'customer' }).execute();
    }
  });

  it('requires a verified email and a user who is not blocked', async () => {
    const unproven = await makeUser(shop.deps, { email_verified_at: null });
    const blocked = await makeUser(shop.deps);
    await desk.send('PUT', `/api/admin/users/${blocked.id}/block`, { blocked: true, reason: 'Chargebacks' });
    for (const { id } of [unproven, blocked]) {
      expect(await setRole(desk, id, 'admin')).toMatchObject({ status: 400, body: { field: 'role' } });
      expect(await roleOf(id)).toBe('customer');
    }
    expect(await setRole(desk, uuidv7(), 'admin')).toMatchObject({ status: 404 });
    expect(await setRole(desk, unproven.id, 'owner')).toMatchObject({ status: 400 });
  });

  it.each([
    ['letters', 'elevenchars'],
    ['letters of two code units each', '😀😁😂🤣😃😄'],
  ])('asks a new administrator with a short password for a new one before the next login: %s', async (_, password) => {
    const user = await makeUser(shop.deps);
    const password_hash = await shop.deps.passwords.hash(password);
    await shop.deps.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute();
    expect((await createShopper(shop.url).signIn(user.email, password)).status).toBe(200);
    await setRole(desk, user.id, 'admin');
    expect(await createShopper(shop.url).signIn(user.email, password)).toMatchObject({
      status: 400,
      body: { field: 'password', message: expect.stringContaining('at least 12 characters') },
    });
    expect(await createShopper(shop.url).signIn(user.email, 'another one')).toMatchObject({
      status: 401,
      body: { code: 'INVALID_CREDENTIALS' },
    });
  });

  it('does not sign in the browser of a guest whose account became an administrator’s', async () => {
    const product = await makeProduct(shop.deps);
    const browser = createShopper(shop.url);
    const guest = { email: 'guest-to-admin@example.com', password: 'sixsix', name: 'Guest' };
    const cart = [{ product, quantity: 1 }];
    const { place } = await browser.authorise(cart, guest);
    expect((await place()).body.data?.['access']).toBe('signed-in');
    await shop.deps.db.updateTable('users').set({ role: 'admin' }).where('email', '=', guest.email).execute();
    expect((await place()).body.data?.['access']).toBe('sign-in');
  });
});
