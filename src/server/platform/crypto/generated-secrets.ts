import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ConfigError } from '../config-error.ts';
import { generateNamedKey, type NamedKeys, parseNamedKeys } from './named-keys.ts';

interface GeneratedSecrets {
  masterKeys: NamedKeys;
  jwtKeys: NamedKeys;
}

/**
 * The keys of a shop that was given none: made once, kept in `secrets.json` under the data folder, readable by its
 * owner only. Losing the file loses every encrypted item, so it is on the disk before it is used.
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
    if (isErrno(error, 'ENOENT')) return undefined;
    throw new ConfigError(
      'DATA_DIR',
      `holds a secrets.json that cannot be read; let its owner start the shop: ${path}`,
    );
  }
  return parseSecrets(text, path);
}

// The file holds the keys in the form of the variables they stand in for, so that they can be moved there.
const secretsFile = z.object({ MASTER_KEYS: z.string(), JWT_KEYS: z.string() });

function parseSecrets(text: string, path: string): GeneratedSecrets {
  const file = secretsFile.safeParse(parseJson(text));
  const masterKeys = parseNamedKeys(file.data?.MASTER_KEYS ?? '');
  const jwtKeys = parseNamedKeys(file.data?.JWT_KEYS ?? '');
  if (masterKeys && jwtKeys) return { masterKeys, jwtKeys };
  throw new ConfigError('DATA_DIR', `holds a damaged secrets.json; restore it from a backup: ${path}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Written whole under another name and linked into place: of two processes that start together, one wins. */
function createSecrets(dataDir: string, path: string): GeneratedSecrets {
  const text = `${JSON.stringify({ MASTER_KEYS: generateNamedKey(), JWT_KEYS: generateNamedKey() }, null, 2)}\n`;
  const draft = join(dataDir, `secrets-${randomUUID()}.tmp`);
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, path);
    flushFolder(dataDir);
    return parseSecrets(text, path);
  } catch (error) {
    const winner = isErrno(error, 'EEXIST') ? readSecrets(path) : undefined;
    if (winner) return winner;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError('DATA_DIR', `cannot be written; choose a folder of this user's own (${reason})`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Makes the file's name durable; Windows does it by itself and refuses to be asked. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
