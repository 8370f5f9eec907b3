import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { ConfigError } from '../system-errors.ts';
import { BrokenSeal, createItemCipher, type ItemCipher, NONCE_BYTES, seal, unseal } from './item-cipher.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';

export type WrappedKey = Pick<Selectable<Tables['data_keys']>, 'id' | 'master_key_id' | 'wrapped_key'>;

/** Oldest first. */
const listDataKeys = (db: Database) =>
  db.selectFrom('data_keys').selectAll().orderBy('created_at').orderBy('id').execute();

/** Does not overwrite: of two processes that create a key at once, one wins. */
const insertDataKey = (db: Database, { id, master_key_id, wrapped_key }: WrappedKey) =>
  sql`
    INSERT INTO data_keys (id, master_key_id, wrapped_key, created_at)
    VALUES (${id}, ${master_key_id}, ${wrapped_key}, now()) ON CONFLICT (id) DO NOTHING`.execute(db);

const FIRST_DATA_KEY = 'data-1';

// The fingerprint key must never change; otherwise the same secret could be sold twice. It is wrapped like the data
// keys, so a rotation rewraps it, too.
const FINGERPRINT_KEY = 'fingerprint';

/** Opens the item cipher with the database's keys, or new ones. Throws ConfigError if one cannot be unwrapped. */
export async function openItemCipher(db: Database, masterKeys: NamedKeys): Promise<ItemCipher> {
  const opened = new Map<string, Buffer>();
  let current: NamedKey | undefined;

  async function load(): Promise<void> {
    for (const row of await listDataKeys(db)) {
      const key = opened.get(row.id) ?? unwrap(row, masterKeys);
      opened.set(row.id, key);
      if (row.id !== FINGERPRINT_KEY && row.retired_at === null) current = { id: row.id, key };
    }
  }

  async function getKey(id: string): Promise<Buffer> {
    // Another process may have made the key by a rotation since the last load.
    if (!opened.has(id)) await load();
    const key = opened.get(id);
    if (key === undefined || id === FINGERPRINT_KEY) throw new BrokenSeal(`There is no data key "${id}"`);
    return key;
  }

  await load();
  if (opened.size === 0) {
    // Both in one transaction, because the cipher cannot be opened with only one of them.
    await db.transaction().execute(async (trx) => {
      for (const id of [FINGERPRINT_KEY, FIRST_DATA_KEY]) await insertDataKey(trx, makeKey(id, masterKeys[0]));
    });
    await load();
  }
  const fingerprintKey = opened.get(FINGERPRINT_KEY);
  if (!fingerprintKey || !current)
    throw new Error('The table data_keys lacks its fingerprint key or a current data key');
  const first = current;
  // After a rotation, a running process encrypts with the key that it knows until it loads the new key or restarts
  // (removing the old master key requires a restart). So encryption never waits for the database, and both keys can
  // decrypt.
  return createItemCipher({ current: () => current ?? first, get: getKey, fingerprintKey });
}

/** Rewraps all keys with the first master key, and adds a data key. Throws ConfigError if one cannot be unwrapped. */
export async function rotateDataKeys(trx: Transaction, masterKeys: NamedKeys) {
  // Keeps other transactions from writing a data key until this one ends. Reading stays possible.
  await sql`LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
  const rows = await listDataKeys(trx);
  const [first] = masterKeys;
  const rewrapped = rows
    .map((row) => ({ row, key: unwrap(row, masterKeys) }))
    .filter(({ row }) => row.master_key_id !== first.id)
    .map(({ row, key }) => wrap(row.id, key, first));
  for (const { id, ...key } of rewrapped) {
    await trx.updateTable('data_keys').set(key).where('id', '=', id).execute();
  }

  const numbers = rows.map(({ id }) => Number(/^data-(\d+)$/.exec(id)?.[1] ?? 0));
  const dataKey = `data-${Math.max(...numbers) + 1}`;
  await sql`UPDATE data_keys SET retired_at = now() WHERE retired_at IS NULL AND id <> ${FINGERPRINT_KEY}`.execute(trx);
  await insertDataKey(trx, makeKey(dataKey, first));
  return { rewrapped: rewrapped.length, dataKey };
}

const KEY_BYTES = 32;

const makeKey = (id: string, masterKey: NamedKey): WrappedKey => wrap(id, randomBytes(KEY_BYTES), masterKey);

function wrap(id: string, key: Buffer, masterKey: NamedKey): WrappedKey {
  const { nonce, ciphertext } = seal(masterKey.key, contextOf(id, masterKey.id), key);
  return { id, master_key_id: masterKey.id, wrapped_key: Buffer.concat([nonce, ciphertext]) };
}

/** Throws ConfigError when the master key is missing or has other bytes. */
function unwrap(row: WrappedKey, masterKeys: NamedKeys): Buffer {
  const masterKey = masterKeys.find(({ id }) => id === row.master_key_id);
  const restore = 'restore it, or secrets.json in the data folder, as it was when this database was made';
  if (!masterKey) throw new ConfigError('MASTER_KEYS', `lacks the key "${row.master_key_id}": ${restore}`);
  const nonce = row.wrapped_key.subarray(0, NONCE_BYTES);
  const ciphertext = row.wrapped_key.subarray(NONCE_BYTES);
  try {
    return unseal(masterKey.key, contextOf(row.id, masterKey.id), { nonce, ciphertext });
  } catch {
    throw new ConfigError('MASTER_KEYS', `has another key under the name "${masterKey.id}" than before: ${restore}`);
  }
}

const contextOf = (id: string, masterKeyId: string) => ['data-key', 1, id, masterKeyId].join('|');
