import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyDatabase } from '../../../../test/database.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { codeAt } from '../../../../test/two-factor.ts';
import { readConfig } from '../../config.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { readMigrations } from '../../platform/database/migration-history.ts';
import { hashCode } from '../order-lookup/look-up-order.ts';
import { base32Of, makeSecret } from '../two-factor/two-factor.ts';

// Links and codes that were mailed before 0017_one_verification.sql, when each kind had a table of its own, still work
// after that migration.

const KEY = Buffer.alloc(32, 7).toString('base64');
const settings = { JWT_KEYS: `test:${KEY}`, MASTER_KEYS: `test:${KEY}` };
const PASSWORD = 'a good new password';
const DEVICE = randomToken();

const ids = {
  reset: randomUUID(),
  confirm: randomUUID(),
  change: randomUUID(),
  undo: randomUUID(),
  login: randomUUID(),
  order: randomUUID(),
  lookup: randomUUID(),
  pendingLogin: randomUUID(),
  triedLogin: randomUUID(),
  unsentUndo: randomUUID(),
  unsentMail: randomUUID(),
};
const tokens = {
  reset: randomToken(),
  used: randomToken(),
  confirm: randomToken(),
  change: randomToken(),
  claim: randomToken(),
  undo: randomToken(),
};
const CODE = '271828';

let shop: TestShop;
beforeAll(async () => {
  const database = await createEmptyDatabase();
  const migrations = readMigrations();
  const last = migrations.findIndex(({ name }) => name === '0017_one_verification.sql');
  await migrate(database.connectionString, migrations.slice(0, last));
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await insertOldRows(client);
  await client.end();
  shop = await startTestShop({ database, settings });
});
afterAll(() => shop.stop());

async function insertOldRows(client: pg.Client): Promise<void> {
  const users = ['reset', 'confirm', 'change', 'undo', 'login'] as const;
  for (const name of users) {
    await client.query(
      `INSERT INTO users (id, email, email_verified_at, name, password_hash, created_at)
        VALUES ($1, $2, now(), 'A', 'x', now() - interval '1 day')`,
      [ids[name], name === 'undo' ? 'thief@example.com' : `${name}@example.com`],
    );
  }
  await client.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [ids.confirm]);
  const link = (token: string, kind: string, userId: string, email: string, used = false) =>
    client.query(
      `INSERT INTO account_links VALUES ($1, $2, $3, $4, now(), now() + interval '30 minutes', ${used ? 'now()' : 'NULL'})`,
      [hashToken(token), kind, userId, email],
    );
  await link(tokens.reset, 'password-reset', ids.reset, 'reset@example.com');
  await link(tokens.used, 'password-reset', ids.reset, 'reset@example.com', true);
  await link(tokens.confirm, 'email-verification', ids.confirm, 'confirm@example.com');
  await link(tokens.change, 'email-change', ids.change, 'changed@example.com');
  await client.query(`INSERT INTO email_changes VALUES ($1, 'changed@example.com', now())`, [ids.change]);
  const undo = (id: string, email: string, token: string | null) =>
    client.query(
      `INSERT INTO verifications (id, purpose, user_id, email, data, token_hash, created_at, expires_at)
        VALUES ($1, 'email-undo', $2, $3, '{"twoFactor":null}', $4, now(), now() + interval '1 day')`,
      [id, ids.undo, email, token && hashToken(token)],
    );
  await undo(randomUUID(), 'undo@example.com', tokens.undo);
  await undo(ids.unsentUndo, 'between@example.com', null);
  await client.query(
    `INSERT INTO mails (id, kind, recipient, user_id, created_at)
      VALUES ($1, 'email-changed', 'between@example.com', $2, now() + interval '1 second')`,
    [ids.unsentMail, ids.undo],
  );
  await client.query(
    `INSERT INTO orders (id, type, state, contact_email, guest, items_cents, tax_cents, total_cents, shipping_street,
        shipping_city, shipping_state, shipping_zip_code, shipping_country, created_at, hold_expires_at, paid_at, fulfilled_at)
      VALUES ($1, 'physical', 'fulfilled', 'buyer@example.com', true, 5400, 324, 5724, '1 Jalan Melati', 'Ipoh', 'Perak',
        '30000', 'Malaysia', now(), now(), now(), now())`,
    [ids.order],
  );
  await client.query(`INSERT INTO claim_links VALUES ($1, $2, now(), now() + interval '1 day')`, [
    hashToken(tokens.claim),
    ids.order,
  ]);
  await client.query(
    `INSERT INTO order_lookups (id, order_id, code_hash, network, tries, created_at, expires_at)
      VALUES ($1, $2, $3, '203.0.113.7', 4, now(), now() + interval '10 minutes')`,
    [ids.lookup, ids.order, hashCode(readConfig(settings), ids.lookup, CODE)],
  );
  await client.query(
    `INSERT INTO mails (id, kind, recipient, lookup_id, created_at, sent_at)
      VALUES (gen_random_uuid(), 'order-lookup', 'buyer@example.com', $1, now(), now())`,
    [ids.lookup],
  );
  const login = (id: string, tries: number, device: Buffer | null) =>
    client.query(
      `INSERT INTO pending_logins (id, user_id, remembered, tries, device_hash, created_at, expires_at)
        VALUES ($1, $2, true, $3, $4, now(), now() + interval '5 minutes')`,
      [id, ids.login, tries, device],
    );
  await login(ids.pendingLogin, 2, hashToken(DEVICE));
  await login(ids.triedLogin, 5, null);
}

const visitor = () => createShopper(shop.url);
const verification = (id: string) =>
  shop.deps.db.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A browser that is signed in to an account of the old database. */
async function signedInAs(userId: string) {
  const passwordHash = await shop.deps.passwords.hash(PASSWORD);
  const user = await shop.deps.db
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const browser = visitor();
  await browser.signIn(user.email, PASSWORD);
  return browser;
}

describe('a link mailed before the migration', () => {
  it('sets a new password once, and not if it was used before', async () => {
    const reset = (resetToken: string) => visitor().post('/api/auth/resetpassword', { resetToken, password: PASSWORD });
    expect(await reset(tokens.used)).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await reset(tokens.reset)).toMatchObject({ status: 200 });
    expect(await reset(tokens.reset)).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await visitor().signIn('reset@example.com', PASSWORD)).toMatchObject({ status: 200 });
  });

  it('confirms an email address and a change of address', async () => {
    for (const [name, email] of [
      ['confirm', 'confirm@example.com'],
      ['change', 'changed@example.com'],
    ] as const) {
      const browser = await signedInAs(ids[name]);
      const confirmed = await browser.post('/api/auth/confirmemail', { confirmToken: tokens[name] });
      expect(confirmed).toMatchObject({ status: 200, body: { data: { email } } });
      expect((await browser.get('/api/auth/me')).body).toMatchObject({ data: { email, emailVerified: true } });
    }
  });

  it('undoes a change of the email address', async () => {
    const undone = await visitor().post('/api/auth/undoemail', { undoToken: tokens.undo });
    expect(undone).toMatchObject({ status: 200, body: { data: { email: 'undo@example.com' } } });
  });

  it('opens the account of an order', async () => {
    const claim = () => visitor().post('/api/auth/claim', { claimToken: tokens.claim, password: PASSWORD });
    expect(await claim()).toMatchObject({ status: 200, body: { user: { email: 'buyer@example.com' } } });
    expect(await claim()).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
  });
});

it('an order code mailed before the migration opens its order once, and keeps its tries and its mail', async () => {
  const open = (code: string) => visitor().post('/api/order-lookup/guest/open', { lookupId: ids.lookup, code });
  const mails = shop.deps.db.selectFrom('mails').select('kind').where('verification_id', '=', ids.lookup);
  expect(await mails.execute()).toEqual([{ kind: 'order-lookup' }]);
  expect(await verification(ids.lookup)).toMatchObject({ tries: 4, origin: '203.0.113.7' });
  expect(await open(CODE)).toMatchObject({ status: 200, body: { data: { order: { _id: ids.order } } } });
  expect(await open(CODE)).toMatchObject({ status: 401 });
});

it('a login begun before the migration can be finished, and its wrong codes still count', async () => {
  const { cipher, clock, db, pendingTokens } = shop.deps;
  const secret = makeSecret();
  const { keyId: key_id, nonce, ciphertext } = cipher.encryptTwoFactor({ userId: ids.login, secret });
  const row = { user_id: ids.login, key_id, nonce, ciphertext, created_at: clock.now(), enabled_at: clock.now() };
  await db
    .insertInto('two_factor_secrets')
    .values({ ...row, last_step: 0 })
    .execute();
  const finish = async (pendingLoginId: string, twoFactorToken: string) => {
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    const pendingToken = await pendingTokens.sign({ pendingLoginId, expiresAt });
    return visitor().post('/api/auth/login', { pendingToken, twoFactorToken });
  };
  expect(await finish(ids.triedLogin, '000000')).toMatchObject({ status: 429 });
  const begun = await verification(ids.pendingLogin);
  expect(begun).toMatchObject({ tries: 2, data: { remember: true }, origin: hashToken(DEVICE).toString('hex') });
  const code = codeAt(base32Of(secret), clock.now());
  expect(await finish(ids.pendingLogin, code)).toMatchObject({ status: 200 });
  const session = db.selectFrom('sessions').select('remembered').where('user_id', '=', ids.login);
  expect(await session.execute()).toEqual([{ remembered: true }]);
});

it('an unsent mail from before the migration belongs to its verification', async () => {
  const mails = shop.deps.db.selectFrom('mails').select('verification_id').where('id', '=', ids.unsentMail);
  expect(await mails.execute()).toEqual([{ verification_id: ids.unsentUndo }]);
});
