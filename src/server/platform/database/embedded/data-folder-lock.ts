import { existsSync, linkSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureDataFolder, explainForeignFolder } from '../../data-folder.ts';
import { StartError } from '../../start-error.ts';
import { findProcess } from './process-table.ts';

interface Holder {
  pid: number;
  startedAt: string;
}

// Long enough for a process that judged the same lock abandoned at the same moment to have written its own name.
const SETTLE_MS = 50;

// A Kedai whose launcher was killed needs a moment to notice and to finish; the next start finds it at that.
const HANDOVER_MS = 5_000;

/**
 * Makes sure that one Kedai at a time uses a data folder. Throws one line that names the other process when that one stays
 * alive; a lock whose holder was killed is taken over. Returns the function that gives the lock back.
 */
export async function lockDataFolder(dataDir: string, report: (line: string) => void): Promise<() => void> {
  const file = join(dataDir, 'kedai.lock');
  const self: Holder = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? '' };
  ensureDataFolder(dataDir);
  assertNoCopy(dataDir);
  try {
    await acquire(file, self, report);
  } catch (error) {
    if (isDenied(error)) throw new StartError(explainForeignFolder(dataDir), { cause: error });
    throw error;
  }
  return () => {
    if (isSame(readHolder(file), self)) rmSync(file);
  };
}

/** True when a live process holds the lock of this data folder. */
export function isDataFolderInUse(dataDir: string): boolean {
  return isAlive(readHolder(join(dataDir, 'kedai.lock')));
}

/**
 * A folder that was copied while its PostgreSQL ran, or before that had recovered, may hold a broken database. The copy
 * has the file in which PostgreSQL notes its own folder; a folder that was moved leaves none behind.
 */
function assertNoCopy(dataDir: string): void {
  const file = join(dataDir, 'postgres/postmaster.pid');
  if (!existsSync(file)) return;
  const noted = readFileSync(file, 'utf8').split('\n')[1]?.trim() ?? '';
  if (!existsSync(join(noted, 'PG_VERSION'))) return;
  const original = realpathSync(noted);
  if (original === realpathSync(join(dataDir, 'postgres'))) return;
  throw new StartError(
    `DATA_DIR ${dataDir} is a copy of ${dirname(original)}, made while that was in use, and may be broken. ` +
      `Set DATA_DIR=${dirname(original)}, or stop the shop there and copy the folder again.`,
  );
}

async function acquire(file: string, self: Holder, report: (line: string) => void): Promise<void> {
  const deadline = Date.now() + HANDOVER_MS;
  let announced = false;
  while (!create(file, self)) {
    const holder = readHolder(file);
    if (!isAlive(holder)) return takeOver(file, self);
    if (Date.now() > deadline) throw inUse(file, holder);
    if (!announced) report(`Waiting for process ${holder?.pid} to leave the data folder ...`);
    announced = true;
    await delay(100);
  }
}

/** Puts our name down, complete from the first moment on; false when there is a lock already. */
function create(file: string, self: Holder): boolean {
  const claim = writeClaim(file, self);
  try {
    linkSync(claim, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(claim);
  }
}

async function takeOver(file: string, self: Holder): Promise<void> {
  renameSync(writeClaim(file, self), file);
  await delay(SETTLE_MS);
  const winner = readHolder(file);
  if (!isSame(winner, self)) throw inUse(file, winner);
}

function writeClaim(file: string, self: Holder): string {
  const claim = `${file}.${self.pid}`;
  writeFileSync(claim, JSON.stringify(self));
  return claim;
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch (error) {
    // A lock that is not JSON lost its content with the power of the machine.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(holder: Holder | undefined): boolean {
  return holder !== undefined && findProcess(holder.pid)?.startedAt === holder.startedAt;
}

function isSame(one: Holder | undefined, other: Holder): boolean {
  return one?.pid === other.pid && one.startedAt === other.startedAt;
}

function isDenied(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'EACCES' || code === 'EPERM';
}

function inUse(file: string, holder: Holder | undefined): StartError {
  return new StartError(
    `Another Kedai (process ${holder?.pid}) already uses the data folder ${dirname(file)}. ` +
      'Stop it first, or give this one a folder of its own with DATA_DIR and a free PORT.',
  );
}
