import type { Transaction } from '../database/open-database.ts';
import {
  insertDataKeys,
  listDataKeys,
  lockDataKeys,
  retireDataKeys,
  rewrapDataKey,
} from './key-ring.queries.ts';
import { FINGERPRINT_KEY } from './key-ring.ts';
import type { NamedKeys } from './named-keys.ts';
import { makeKey, unwrap, wrap } from './wrapped-keys.ts';

/**
 * Wraps by the first master key what another one wraps, and makes a new data key for what is sealed from now on. The keys
 * themselves stay, and so what they sealed stays readable. Throws ConfigError when any key in the database cannot be opened.
 */
export async function rotateDataKeys(
  trx: Transaction,
  masterKeys: NamedKeys,
): Promise<{ rewrapped: number; dataKey: string }> {
  await lockDataKeys(trx);
  const rows = await listDataKeys(trx);
  const [first] = masterKeys;
  const rewrapped = rows
    .map((row) => ({ row, key: unwrap(row, masterKeys) }))
    .filter(({ row }) => row.master_key_id !== first.id)
    .map(({ row, key }) => wrap(row.id, key, first));
  for (const wrapped of rewrapped) await rewrapDataKey(trx, wrapped);

  const numbers = rows.map(({ id }) => Number(/^data-(\d+)$/.exec(id)?.[1] ?? 0));
  const dataKey = `data-${Math.max(...numbers) + 1}`;
  await retireDataKeys(trx, { except: FINGERPRINT_KEY });
  await insertDataKeys(trx, [makeKey(dataKey, first)]);
  return { rewrapped: rewrapped.length, dataKey };
}
