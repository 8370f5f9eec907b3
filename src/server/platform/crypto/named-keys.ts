import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A 256-bit secret with a name, so that several can be valid while one takes over from another. */
export interface NamedKey {
  id: string;
  key: Buffer;
}

/** One or more keys; the first is the one to use for what is new, the others still open what is old. */
export type NamedKeys = readonly [NamedKey, ...NamedKey[]];

/** Reads `id:base64,id:base64`; undefined when anything about it is wrong. */
export function parseNamedKeys(text: string): NamedKeys | undefined {
  const keys = text.split(',').map((entry) => parseNamedKey(entry.trim()));
  const [first, ...others] = keys.filter((key) => key !== undefined);
  const ids = new Set(keys.map((key) => key?.id));
  return first && others.length === keys.length - 1 && ids.size === keys.length
    ? [first, ...others]
    : undefined;
}

function parseNamedKey(entry: string): NamedKey | undefined {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,40}):([A-Za-z0-9+/]+={0,2})$/.exec(entry) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length === KEY_BYTES ? { id, key } : undefined;
}

/** A fresh key in the form that `parseNamedKeys` reads. */
export function generateNamedKey(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;
}
