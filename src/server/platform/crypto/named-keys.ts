import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { tryParseJson } from '../../../shared/try-parse-json.ts';
import { ConfigError, errorCodeOf, fullDisk, isFullDisk, reasonOf } from '../system-errors.ts';

const KEY_BYTES = 32;

/** A 256-bit secret with a name; several are valid while one replaces another. */
export type NamedKey = { id: string; key: Buffer };

/** One or more keys: the first encrypts or signs, all of them decrypt or verify. */
export type NamedKeys = readonly [NamedKey, ...NamedKey[]];

/** Parses `id:base64,id:base64`; undefined when anything is wrong. */
export function parseNamedKeys(text: string): NamedKeys | undefined {
  const keys = text.split(',').map((entry) => parseNamedKey(entry.trim()));
  const [first, ...others] = keys.filter((key) => key !== undefined);
  const ids = new Set(keys.map((key) => key?.id));
  return first && others.length === keys.length - 1 && ids.size === keys.length ? [first, ...others] : undefined;
}

function parseNamedKey(entry: string): NamedKey | undefined {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,40}):([A-Za-z0-9+/]+={0,2})$/.exec(entry) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length === KEY_BYTES ? { id, key } : undefined;
}

/** A new key in the format of `parseNamedKeys`. */
const generateNamedKey = (): string =>
  `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;

type GeneratedSecrets = { masterKeys: NamedKeys; jwtKeys: NamedKeys };

/**
 * Returns the keys of a shop that has none configured: generated once and kept in `secrets.json` in the data folder for
 * its owner only. Losing it loses every encrypted item, so it is flushed to the disk before its first use.
 */
export function generatedSecrets(dataDir: string): GeneratedSecrets {
  const path = join(dataDir, 'secrets.json');
  return readSecrets(path) ?? createSecrets(dataDir, path);
}

function readSecrets(path: string): GeneratedSecrets | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR')
      throw new ConfigError('DATA_DIR', `leads through a file; choose a folder: ${dirname(path)}`);
    const fix = /^(EACCES|EPERM)$/.test(code)
      ? 'cannot be read; let its owner start the shop'
      : `cannot be read (${code}); correct the path or what is there`;
    throw new ConfigError('DATA_DIR', `holds a secrets.json that ${fix}: ${path}`);
  }
  return parseSecrets(text, path);
}

// The file has the names and formats of the environment variables, so that an operator can move the keys there.
const secretsFile = z.object({ MASTER_KEYS: z.string(), JWT_KEYS: z.string() });

function parseSecrets(text: string, path: string): GeneratedSecrets {
  const file = secretsFile.safeParse(tryParseJson(text));
  const masterKeys = parseNamedKeys(file.data?.MASTER_KEYS ?? '');
  const jwtKeys = parseNamedKeys(file.data?.JWT_KEYS ?? '');
  if (masterKeys && jwtKeys) return { masterKeys, jwtKeys };
  throw new ConfigError('DATA_DIR', `holds a damaged secrets.json; restore it from a backup: ${path}`);
}

/** Writes the file under another name and links it: of two processes that start at once, one wins, both read it. */
function createSecrets(dataDir: string, path: string): GeneratedSecrets {
  const text = `${JSON.stringify({ MASTER_KEYS: generateNamedKey(), JWT_KEYS: generateNamedKey() }, null, 2)}\n`;
  const draft = join(dataDir, `secrets-${randomUUID()}.tmp`);
  try {
    makeFolder(dataDir);
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, path);
    flushFolder(dataDir);
    return parseSecrets(text, path);
  } catch (error) {
    const winner = errorCodeOf(error) === 'EEXIST' ? readSecrets(path) : undefined;
    if (winner) return winner;
    if (isFullDisk(error)) throw fullDisk(dataDir, error);
    throw new ConfigError('DATA_DIR', `cannot be written; choose a folder of this user's own (${reasonOf(error)})`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creates a folder and its parents. mkdirSync with `recursive` never returns below /proc, where none can be made. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  }
}

/** Flushes a folder to make the name of a new file durable. Windows does so by itself and does not allow it. */
export function flushFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
