import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StartError } from '../../start-error.ts';
import type { PostgresAccount } from './postgres-account.ts';

/** The database's superuser; the shop is the cluster's only client and signs in as this one. */
export const clusterUser = 'kedai';

const unfinishedPrefix = 'postgres-unfinished-';

/**
 * Makes the cluster (PostgreSQL's word for its data folder) unless it is there; true when it was made now. It is made
 * under another name and renamed when complete, so a process killed half way leaves nothing that looks usable.
 */
export async function ensureCluster(options: {
  dataDir: string;
  clusterFolder: string;
  initdb: string;
  password: string;
  account: PostgresAccount;
}): Promise<boolean> {
  const { dataDir, clusterFolder, initdb, password, account } = options;
  removeUnfinished(dataDir);
  if (existsSync(clusterFolder)) return false;

  const workshop = mkdtempSync(join(dataDir, unfinishedPrefix));
  const unfinished = join(workshop, 'cluster');
  const passwordFile = join(workshop, 'password');
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [workshop, unfinished, passwordFile]) account.handOver(path);

  const child = account.start(
    initdb,
    [
      ...['-D', unfinished, '--username', clusterUser, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      // Sorting and letter case by the rules built into PostgreSQL: the same on every machine.
      ...[
        '--encoding',
        'UTF8',
        '--locale',
        'C',
        '--locale-provider',
        'builtin',
        '--builtin-locale',
        'C.UTF-8',
      ],
      '--no-instructions',
    ],
    // Detached: Ctrl-C in the terminal is for us, and initdb is done in a second.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, windowsHide: true },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [complaint, code] = await Promise.all([child.stderr ? text(child.stderr) : '', ended]);
  if (code !== 0) throw new StartError(`PostgreSQL could not set up its data folder: ${complaint.trim()}`);

  renameSync(unfinished, clusterFolder);
  rmSync(workshop, { recursive: true });
  return true;
}

/** The password of `clusterUser`: random, made once, readable by us alone. */
export function ensurePassword(dataDir: string): string {
  const file = join(dataDir, 'postgres-password');
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(24).toString('hex'), { mode: 0o600 });
    renameSync(draft, file);
  }
  return readFileSync(file, 'utf8').trim();
}

function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    // An initdb that outlived its Kedai may still be writing here.
    rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
