import type { Database } from '../database/open-database.ts';
import { BrokenSeal } from './aead.ts';
import { createItemCipher, type DataKeys, type ItemCipher } from './item-cipher.ts';
import { insertDataKeys, listDataKeys } from './key-ring.queries.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';
import { makeKey, unwrap } from './wrapped-keys.ts';

const FIRST_DATA_KEY = 'data-1';

// Stays the same for ever, or the same secret could be sold twice. It is wrapped like the data keys, so that a new
// master key takes it over by the same rewrapping.
export const FINGERPRINT_KEY = 'fingerprint';

/**
 * The shop's item cipher, its keys unwrapped by the master keys; the first keys are made on an empty database.
 * Throws ConfigError when a key in the database cannot be opened: better no shop than one that fails its buyers.
 */
export async function openItemCipher(db: Database, masterKeys: NamedKeys): Promise<ItemCipher> {
  return createItemCipher(await openDataKeys(db, masterKeys));
}

async function openDataKeys(db: Database, masterKeys: NamedKeys): Promise<DataKeys> {
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
    // A rotation by another process may have made it since this one last looked.
    if (!opened.has(id)) await load();
    const key = opened.get(id);
    if (key === undefined || id === FINGERPRINT_KEY) throw new BrokenSeal(`There is no data key "${id}"`);
    return key;
  }

  await load();
  if (opened.size === 0) {
    await insertDataKeys(db, [
      makeKey(FINGERPRINT_KEY, masterKeys[0]),
      makeKey(FIRST_DATA_KEY, masterKeys[0]),
    ]);
    await load();
  }
  const fingerprintKey = opened.get(FINGERPRINT_KEY);
  if (!fingerprintKey || !current)
    throw new Error('The table data_keys lacks its fingerprint key or a current data key');
  const first = current;
  // After a rotation a running process seals by the key it knows until it meets the new one, or restarts, as taking the
  // old master key away makes it do. So sealing never waits for the database; what is sealed by either stays readable.
  return { current: () => current ?? first, get: getKey, fingerprintKey };
}
