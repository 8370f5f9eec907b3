import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { countWaiting } from '../../../../test/locks.ts';
import { type ItemCipher, seal } from './item-cipher.ts';
import { openItemCipher } from './key-ring.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';

const { db } = await openTestDatabase();
beforeEach(async () => {
  await db.deleteFrom('data_keys').execute();
});

const masterKey = (id: string): NamedKey => ({ id, key: randomBytes(32) });
const m1 = masterKey('m1');
const m2 = masterKey('m2');
const item = { itemId: randomUUID(), productId: randomUUID() };

test('an item encrypted by one process is decrypted by the next', async () => {
  const encrypted = (await openItemCipher(db, [m1])).encrypt({ ...item, content: 'KEY-1' });
  const reopened = await openItemCipher(db, [m1]);
  expect(await reopened.decrypt({ ...item, ...encrypted })).toBe('KEY-1');
});

test('processes that open an empty database concurrently use the same keys', async () => {
  const opens: Promise<ItemCipher>[] = [];
  await db.transaction().execute(async (trx) => {
    // The lock allows reading: all of them see an empty table and want to write their own keys at the same moment.
    await sql`LOCK TABLE data_keys IN SHARE MODE`.execute(trx);
    for (let process = 0; process < 5; process++) opens.push(openItemCipher(db, [m1]));
    await vi.waitFor(async () => expect(await countWaiting(db)).toBe(5), { timeout: 10_000 });
  });
  const [first, ...others] = await Promise.all(opens);
  const encrypted = first?.encrypt({ ...item, content: 'KEY-1' });
  expect(others).toHaveLength(4);
  for (const other of others) {
    expect(encrypted && (await other.decrypt({ ...item, ...encrypted }))).toBe('KEY-1');
    expect(other.fingerprint('KEY-1')).toEqual(first?.fingerprint('KEY-1'));
  }
});

test('the database contains no unencrypted key', async () => {
  const cipher = await openItemCipher(db, [m1]);
  const rows = await db.selectFrom('data_keys').selectAll().execute();
  expect(rows.map(({ id, master_key_id }) => [id, master_key_id])).toEqual(
    expect.arrayContaining([
      ['fingerprint', 'm1'],
      ['data-1', 'm1'],
    ]),
  );
  // 12 bytes of nonce, 32 of key, 16 of tag.
  for (const row of rows) expect(row.wrapped_key).toHaveLength(60);
  await expect(
    cipher.decrypt({ ...item, ...cipher.encrypt({ ...item, content: 'x' }), keyId: 'fingerprint' }),
  ).rejects.toThrow('There is no data key');
});

test.each<[string, NamedKeys, string]>([
  ['is missing', [m2], 'MASTER_KEYS lacks the key "m1"'],
  ['has other bytes', [masterKey('m1')], 'MASTER_KEYS has another key under the name "m1"'],
])('the shop does not start when its master key %s', async (_, masterKeys, message) => {
  await openItemCipher(db, [m1]);
  await expect(openItemCipher(db, masterKeys)).rejects.toThrow(message);
  await expect(openItemCipher(db, [m2, m1])).resolves.toBeDefined();
});

test('wrapped keys cannot be exchanged', async () => {
  await openItemCipher(db, [m1]);
  const { wrapped_key } = await db
    .selectFrom('data_keys')
    .select('wrapped_key')
    .where('id', '=', 'fingerprint')
    .executeTakeFirstOrThrow();
  await db.updateTable('data_keys').set({ wrapped_key }).where('id', '=', 'data-1').execute();
  await expect(openItemCipher(db, [m1])).rejects.toThrow('MASTER_KEYS');
});

test('a data key that another process adds later is loaded when an item needs it', async () => {
  const running = await openItemCipher(db, [m1]);
  const fingerprint = running.fingerprint('KEY-1');
  await addDataKey('data-2', m1);
  const other = await openItemCipher(db, [m1]);
  const encrypted = other.encrypt({ ...item, content: 'KEY-2' });
  expect(encrypted.keyId).toBe('data-2');
  expect(await running.decrypt({ ...item, ...encrypted })).toBe('KEY-2');
  expect(running.encrypt({ ...item, content: 'x' }).keyId).toBe('data-2');
  expect(other.fingerprint('KEY-1')).toEqual(fingerprint);
});

test('a retired data key decrypts its items, but encrypts nothing more', async () => {
  await openItemCipher(db, [m1]);
  await addDataKey('data-2', m1);
  const encrypted = (await openItemCipher(db, [m1])).encrypt({ ...item, content: 'KEY-2' });
  await db.updateTable('data_keys').set({ retired_at: new Date() }).where('id', '=', 'data-2').execute();
  const reopened = await openItemCipher(db, [m1]);
  expect(await reopened.decrypt({ ...item, ...encrypted })).toBe('KEY-2');
  expect(reopened.encrypt({ ...item, content: 'x' }).keyId).toBe('data-1');
});

async function addDataKey(id: string, by: NamedKey): Promise<void> {
  const { nonce, ciphertext } = seal(by.key, `data-key|1|${id}|${by.id}`, randomBytes(32));
  const wrapped_key = Buffer.concat([nonce, ciphertext]);
  const created_at = new Date(Date.now() + 60_000);
  await db
    .insertInto('data_keys')
    .values({ id, master_key_id: by.id, wrapped_key, created_at, retired_at: null })
    .execute();
}
