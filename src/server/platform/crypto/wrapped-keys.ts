import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config-error.ts';
import { NONCE_BYTES, seal, unseal } from './aead.ts';
import type { DataKeyRow } from './key-ring.queries.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';

const KEY_BYTES = 32;

export type WrappedKey = Pick<DataKeyRow, 'id' | 'master_key_id' | 'wrapped_key'>;

export const makeKey = (id: string, masterKey: NamedKey): WrappedKey =>
  wrap(id, randomBytes(KEY_BYTES), masterKey);

export function wrap(id: string, key: Buffer, masterKey: NamedKey): WrappedKey {
  const { nonce, ciphertext } = seal(masterKey.key, contextOf(id, masterKey.id), key);
  return { id, master_key_id: masterKey.id, wrapped_key: Buffer.concat([nonce, ciphertext]) };
}

/** Throws ConfigError when its master key is missing or another one. */
export function unwrap(row: WrappedKey, masterKeys: NamedKeys): Buffer {
  const masterKey = masterKeys.find(({ id }) => id === row.master_key_id);
  const restore = 'restore it, or secrets.json in the data folder, as it was when this database was made';
  if (!masterKey) throw new ConfigError('MASTER_KEYS', `lacks the key "${row.master_key_id}": ${restore}`);
  const nonce = row.wrapped_key.subarray(0, NONCE_BYTES);
  const ciphertext = row.wrapped_key.subarray(NONCE_BYTES);
  try {
    return unseal(masterKey.key, contextOf(row.id, masterKey.id), { nonce, ciphertext });
  } catch {
    throw new ConfigError(
      'MASTER_KEYS',
      `has another key under the name "${masterKey.id}" than before: ${restore}`,
    );
  }
}

const contextOf = (id: string, masterKeyId: string) => ['data-key', 1, id, masterKeyId].join('|');
