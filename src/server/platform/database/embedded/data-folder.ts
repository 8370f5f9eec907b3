import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../start-error.ts';
import { findProcess } from './processes.ts';

/** Makes the data folder where it is missing. Throws a StartError that names DATA_DIR when it cannot be written. */
export function ensureDataFolder(dataDir: string): void {
  const probe = join(dataDir, `.write-test-${process.pid}`);
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(probe, 'x');
    rmSync(probe);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const problem = problems[code];
    if (problem === undefined) throw error;
    throw new StartError(problem(dataDir), { cause: error });
  }
}

/** The line for a data folder that another user made. */
export function explainForeignFolder(dataDir: string): string {
  return (
    `The data folder ${dataDir} belongs to another user, who started Kedai here first. ` +
    `Start it as that user again, or take the folder over: sudo chown -R $(id -un) "${dataDir}"`
  );
}

const full = (dataDir: string) => `DATA_DIR ${dataDir} is on a full disk: make space there, or choose another folder.`;
const noFolder = (dataDir: string) => `DATA_DIR ${dataDir} is not a folder: choose another one.`;

const problems: Record<string, (dataDir: string) => string> = {
  EROFS: (dataDir) => `DATA_DIR ${dataDir} is read-only: mount it writable, or choose another folder.`,
  EACCES: explainDenied,
  EPERM: explainDenied,
  ENOSPC: full,
  EDQUOT: full,
  ENOTDIR: noFolder,
  EEXIST: noFolder,
};

function explainDenied(dataDir: string): string {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== process.getuid?.()) return explainForeignFolder(dataDir);
  return `DATA_DIR ${dataDir} cannot be written by this user: allow it, or choose another folder.`;
}

interface Holder {
  pid: number;
  startedAt: string;
}

// Long enough for another process that takes over the same lock at the same moment to have written its name.
const SETTLE_MS = 50;

// A Kedai whose launcher was killed still stops when the next one starts.
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

/** Writes the lock in one step, so that nobody reads half of it; false when there is a lock already. */
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
