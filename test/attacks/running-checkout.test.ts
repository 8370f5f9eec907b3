import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { findUserByEmail } from '../../src/server/features/accounts/accounts.queries.ts';
import { listLiveSessions } from '../../src/server/features/accounts/sessions.queries.ts';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { inTurn, startWhileLocked } from '../locks.ts';
import { linkTokenTo } from '../sent-mails.ts';
import { type Answer, createShopper, type Shopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';
import { codeAt, setUp } from '../two-factor.ts';

// A guest's checkout call signs the browser that paid in. What happens while such a call is under way.

const FIRST_PASSWORD = 'the-first-one';
const OWNERS_PASSWORD = 'the-real-owner';

const shop = await openTestShop({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1', OPEN_REGISTRATION: 'true' } });
const { db } = shop.deps;

let visitors = 0;
function newVisitor(): Shopper {
  visitors += 1;
  return createShopper(shop.url, { from: `10.7.0.${visitors}` });
}

const admin = newVisitor();
await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);

const authorise = async (buyer: Shopper, email: string, password = FIRST_PASSWORD) =>
  buyer.authorise([{ product: await makeProduct(shop.deps), quantity: 1 }], { email, password });

const checkOut = (buyer: Shopper) => buyer.post('/api/digital-orders/guest/checkout', { password: FIRST_PASSWORD });

const getUser = async (email: string) => (await findUserByEmail(db, email)) as UserRow;

const liveSessions = (userId: string) => listLiveSessions(db, userId, shop.deps.clock.now());

const claim = async (email: string) => {
  const claimToken = await linkTokenTo(shop, email, '/claim');
  return newVisitor().post('/api/auth/claim', { claimToken, password: OWNERS_PASSWORD });
};

const resetPassword = async (email: string) => {
  await newVisitor().post('/api/auth/forgotpassword', { email });
  const resetToken = await linkTokenTo(shop, email, '/reset-password');
  return newVisitor().post('/api/auth/resetpassword', { resetToken, password: OWNERS_PASSWORD });
};

const turnTwoFactorOn = async (_email: string, squatter: Shopper) => {
  const { secret } = await setUp(squatter);
  return squatter.post('/api/auth/2fa/verify', { token: codeAt(secret, shop.deps.clock.now()) });
};

const block = async (email: string) => {
  const { id } = await getUser(email);
  return admin.send('PUT', `/api/admin/users/${id}/block`, { blocked: true, reason: 'Chargebacks' });
};

describe('a repeated checkout call starts no session if, during its password check,', () => {
  /** Holds the call where it counts its try: after it has read the account, and before it checks the password. */
  const repeatDuring = async (squatter: Shopper, meanwhile: () => Promise<unknown>) => {
    const holdTries = (trx: typeof db) => sql`LOCK TABLE rate_waits IN EXCLUSIVE MODE`.execute(trx);
    const [answer] = await startWhileLocked(db, holdTries, [() => checkOut(squatter)], meanwhile);
    return answer as Answer;
  };

  it.each<[string, number, (email: string, squatter: Shopper) => Promise<Answer>]>([
    ['the account is claimed', 1, claim],
    ['the password is reset by mail', 0, resetPassword],
    ['two-factor is turned on', 1, turnTwoFactorOn],
    ['the account is blocked', 0, block],
  ])('%s', async (_, sessionsLeft, end) => {
    const email = `taken-${visitors}@example.com`;
    const squatter = newVisitor();
    squatter.setToken((await (await authorise(squatter, email)).place()).body.data?.token);
    // The owner of the address buys, too, and gets the link.
    await (await authorise(newVisitor(), email, OWNERS_PASSWORD)).place();

    const late = await repeatDuring(squatter, async () => {
      expect(await end(email, squatter)).toMatchObject({ status: 200 });
    });
    expect(late).toMatchObject({ status: 200, body: { data: { access: 'sign-in' } } });
    expect(late.body.data?.token).toBeUndefined();
    expect(await liveSessions((await getUser(email)).id)).toHaveLength(sessionsLeft);
  });
});

describe('the first password of a guest’s account', () => {
  /** Pays with the card; the webhook makes the account, and no page has set its password. */
  async function payOnly(email: string) {
    const buyer = newVisitor();
    await authorise(buyer, email);
    await expect.poll(() => findUserByEmail(db, email), { timeout: 20_000 }).toBeDefined();
    return { buyer, userId: (await getUser(email)).id };
  }

  it('is not set in an account that is being blocked', async () => {
    const { buyer, userId } = await payOnly('blocked-meanwhile@example.com');
    const [blocked, late] = await inTurn(db, userId, [
      () => block('blocked-meanwhile@example.com'),
      () => checkOut(buyer),
    ]);
    expect(blocked).toMatchObject({ status: 200 });
    expect(late).toMatchObject({ status: 200, body: { data: { access: 'sign-in' } } });
    expect(await getUser('blocked-meanwhile@example.com')).toMatchObject({ password_hash: null });
  });

  it('is set once by two concurrent calls, and both sign in', async () => {
    const { buyer, userId } = await payOnly('pressed-twice@example.com');
    const answers = await inTurn(db, userId, [() => checkOut(buyer), () => checkOut(buyer)]);
    for (const answer of answers) expect(answer.body.data).toMatchObject({ access: 'signed-in' });
    expect(await liveSessions(userId)).toHaveLength(2);
  });
});

// So that whatever ends the sessions of the account ends this one, too.
describe('an account and its first session are written in one transaction', () => {
  /** Does `work` while no session can begin. */
  async function withoutNewSessions(work: () => Promise<Answer>): Promise<Answer> {
    await sql`
      CREATE OR REPLACE FUNCTION refuse_session() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''No session can begin''; END'`.execute(db);
    await sql`
      CREATE TRIGGER refuse_session BEFORE INSERT ON sessions EXECUTE FUNCTION refuse_session()`.execute(db);
    const answer = await work();
    await sql`DROP TRIGGER refuse_session ON sessions`.execute(db);
    return answer;
  }

  it('by a claim', async () => {
    const email = 'claimed@example.com';
    await (await authorise(newVisitor(), email)).place();
    await (await authorise(newVisitor(), email, OWNERS_PASSWORD)).place();
    const before = await getUser(email);
    expect(await withoutNewSessions(() => claim(email))).toMatchObject({ status: 500 });
    expect(await getUser(email)).toEqual(before);
    expect(await claim(email)).toMatchObject({ status: 200 });
  });

  it('by a registration', async () => {
    const email = 'registered@example.com';
    const register = () =>
      newVisitor().post('/api/auth/register', { name: 'A Visitor', email, password: FIRST_PASSWORD });
    expect(await withoutNewSessions(register)).toMatchObject({ status: 500 });
    expect(await register()).toMatchObject({ status: 200, body: { user: { email } } });
  });
});
