import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import { hashToken, randomToken } from '../../platform/crypto/random-token.ts';
import { type Database, openDatabase } from '../../platform/database/open-database.ts';
import { createClaimLink, useClaimLink } from './claim-links.queries.ts';

let testDatabase: TestDatabase;
let db: Database;
const orderId = uuidv7();
const now = new Date('2026-03-01T00:00:00Z');
const expiresAt = new Date('2026-03-08T00:00:00Z');

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase(testDatabase.connectionString, { maxConnections: 20 });
  await db
    .insertInto('orders')
    .values({
      id: orderId,
      type: 'digital',
      state: 'pending',
      contact_email: 'buyer@example.com',
      guest: true,
      items_cents: 0,
      tax_cents: 0,
      total_cents: 0,
      created_at: now,
      hold_expires_at: now,
    })
    .execute();
});
afterAll(async () => {
  await db.destroy();
  await testDatabase.drop();
});

async function makeLink(): Promise<Buffer> {
  const tokenHash = hashToken(randomToken());
  await db.transaction().execute((trx) => createClaimLink(trx, { tokenHash, orderId, now, expiresAt }));
  return tokenHash;
}

const use = (tokenHash: Buffer, at = now) =>
  db.transaction().execute((trx) => useClaimLink(trx, { tokenHash, now: at }));

it('a link works once', async () => {
  const tokenHash = await makeLink();
  expect(await use(tokenHash)).toEqual({ order_id: orderId });
  expect(await use(tokenHash)).toBeUndefined();
});

it('of many uses at once, one succeeds', async () => {
  const tokenHash = await makeLink();
  const uses = await Promise.all(Array.from({ length: 20 }, () => use(tokenHash)));
  expect(uses.filter((link) => link !== undefined)).toEqual([{ order_id: orderId }]);
});

it('a use that is rolled back leaves the link usable', async () => {
  const tokenHash = await makeLink();
  const undone = db.transaction().execute(async (trx) => {
    await useClaimLink(trx, { tokenHash, now });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await use(tokenHash)).toEqual({ order_id: orderId });
});

it('a link works until its last moment, and not from its expiry on', async () => {
  const [last, late] = [await makeLink(), await makeLink()];
  expect(await use(last, new Date(expiresAt.getTime() - 1))).toEqual({ order_id: orderId });
  expect(await use(late, expiresAt)).toBeUndefined();
});

it('an unknown link opens nothing', async () => {
  expect(await use(hashToken(randomToken()))).toBeUndefined();
});
