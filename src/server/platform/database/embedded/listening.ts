import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../../start-error.ts';
import type { PostgresAccount } from './postgres-account.ts';

/** Where PostgreSQL waits for the shop. Never a fixed port: two clones on one machine must not meet. */
export interface Listening {
  host: string;
  port: number;
  settings: Record<string, string>;
  /** Where the socket lies; undefined on Windows, which uses a port of the loopback interface. */
  socketFolder: string | undefined;
  cleanUp(): void;
}

// PostgreSQL names its socket by the port it is told; as it opens no port, the number means nothing else.
const socketPort = 5432;
export const socketName = `.s.PGSQL.${socketPort}`;

// The systems allow 103 (macOS) to 107 bytes.
const SOCKET_PATH_LIMIT_BYTES = 100;

export async function chooseListening(clusterFolder: string, account: PostgresAccount): Promise<Listening> {
  if (process.platform === 'win32') {
    const port = await findFreePort();
    const settings = { listen_addresses: '127.0.0.1', port: String(port) };
    return { host: '127.0.0.1', port, settings, socketFolder: undefined, cleanUp: () => undefined };
  }
  const fits = Buffer.byteLength(join(clusterFolder, socketName)) <= SOCKET_PATH_LIMIT_BYTES;
  const socketFolder = fits ? clusterFolder : makeShortFolder(clusterFolder, account);
  return {
    host: socketFolder,
    port: socketPort,
    settings: {
      listen_addresses: '',
      port: String(socketPort),
      // A list of folders, hence the quotes.
      unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    },
    socketFolder,
    cleanUp: () => {
      if (!fits) rmSync(socketFolder, { recursive: true, force: true });
    },
  };
}

/** A folder that is the same at every start, so that what a killed Kedai left there is found again. */
function makeShortFolder(clusterFolder: string, account: PostgresAccount): string {
  const hash = createHash('sha256').update(clusterFolder).digest('hex').slice(0, 16);
  // Not TMPDIR: that is long on macOS, and may be another one at the next start.
  const folder = `/tmp/kedai-${hash}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Everyone can guess the name, and in a folder made by somebody else, somebody else could answer for PostgreSQL.
  const { uid } = lstatSync(folder);
  const trusted =
    lstatSync(folder).isDirectory() && [process.getuid?.(), statSync(clusterFolder).uid].includes(uid);
  if (!trusted)
    throw new StartError(`${folder} was made by another user. Remove it, or choose a shorter DATA_DIR.`);
  chmodSync(folder, 0o700);
  account.handOver(folder);
  return folder;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
