import {
  existsSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tryParseJson } from '../../../../shared/try-parse-json.ts';
import { makeFolder } from '../../crypto/named-keys.ts';
import { errorCodeOf, fullDisk, isFullDisk, StartError } from '../../system-errors.ts';
import { explainForeignFolder, findProcess } from './processes.ts';

/** Creates the data folder if it is missing. Throws a StartError that names DATA_DIR when it cannot be written. */
export function ensureDataFolder(dataDir: string): void {
  const probe = join(dataDir, `.write-test-${process.pid}`);
  try {
    makeFolder(dataDir);
    try {
      writeFileSync(probe, 'x');
    } finally {
      // A full disk takes the file without its content.
      rmSync(probe, { force: true });
    }
  } catch (error) {
    throw explained(error, dataDir);
  }
}

const NO_FOLDER = 'is not a folder: choose another one.';
const DENIED = 'cannot be written by this user: allow it, or choose another folder.';
const problems: Record<string, string> = {
  EROFS: 'is read-only: mount it writable, or choose another folder.',
  EACCES: DENIED,
  EPERM: DENIED,
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENOENT: 'is where no folder can be made: choose another one.',
};

function explained(error: unknown, dataDir: string): unknown {
  if (isFullDisk(error)) return fullDisk(dataDir, error);
  const problem = problems[errorCodeOf(error)];
  if (problem === undefined) return error;
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  const isForeign = problem === DENIED && owner !== undefined && owner !== process.getuid?.();
  return new StartError(isForeign ? explainForeignFolder(dataDir) : `DATA_DIR ${dataDir} ${problem}`, { cause: error });
}

// Long enough for another process that takes over the same lock at the same moment to write its id.
const SETTLE_MS = 50;

// Wait this long for the lock: a Kedai whose launcher was killed may still be stopping when the next starts.
const HANDOVER_MS = 5_000;

const lockFile = (dataDir: string) => join(dataDir, 'kedai.lock');

/**
 * Locks a data folder, which only one Kedai process at a time may use. Takes over the lock of a killed process. Throws
 * a StartError that names the process with the lock. Returns the function that releases the lock.
 */
export async function lockDataFolder(dataDir: string, report: (line: string) => void): Promise<() => void> {
  const file = lockFile(dataDir);
  const self = JSON.stringify({ pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? '' });
  ensureDataFolder(dataDir);
  assertNoCopy(dataDir);
  try {
    await acquire(file, self, report);
  } catch (error) {
    throw explained(error, dataDir);
  }
  return () => {
    if (readLock(file) === self) rmSync(file);
  };
}

/** True when a live process holds the lock of this data folder. */
export const isDataFolderInUse = (dataDir: string): boolean => isHeld(readLock(lockFile(dataDir)));

/**
 * Throws StartError for a folder that was copied while its PostgreSQL was running, because the copied database may be
 * broken. Such a copy includes the file in which PostgreSQL stores the path of its folder, and the original folder
 * still exists. After a move it does not exist.
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

async function acquire(file: string, self: string, report: (line: string) => void): Promise<void> {
  const deadline = performance.now() + HANDOVER_MS;
  let announced = false;
  while (!create(file, self)) {
    const holder = readLock(file);
    if (!isHeld(holder)) return takeOver(file, self);
    if (performance.now() > deadline) throw inUse(file, holder);
    if (!announced) report(`Waiting for process ${pidOf(holder)} to leave the data folder ...`);
    announced = true;
    await delay(100);
  }
}

/** Creates the lock in one step, so that no process reads half of it. Returns false when there is a lock already. */
function create(file: string, self: string): boolean {
  const claim = writeClaim(file, self);
  try {
    linkSync(claim, file);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(claim);
  }
}

async function takeOver(file: string, self: string): Promise<void> {
  renameSync(writeClaim(file, self), file);
  await delay(SETTLE_MS);
  const winner = readLock(file);
  if (winner !== self) throw inUse(file, winner);
}

function writeClaim(file: string, self: string): string {
  const claim = `${file}.${process.pid}`;
  writeFileSync(claim, self);
  return claim;
}

function readLock(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function isHeld(lock: string): boolean {
  const { pid, startedAt } = parseLock(lock);
  return pid !== undefined && findProcess(pid)?.startedAt === startedAt;
}

/** Parses a lock: an empty object for a file left empty because the machine lost power before its content was kept. */
const parseLock = (lock: string): { pid?: number; startedAt?: string } => Object(tryParseJson(lock));

const pidOf = (lock: string) => parseLock(lock).pid;

const inUse = (file: string, holder: string) =>
  new StartError(
    `Another Kedai (process ${pidOf(holder)}) already uses the data folder ${dirname(file)}. ` +
      'Stop it first, or give this one a folder of its own with DATA_DIR and a free PORT.',
  );

// PostgreSQL writes its write-ahead log in files of 16 MiB and needs space for a whole one to continue.
const DISK_NEEDED_BYTES = 32 * 1024 * 1024;

/** Whether PostgreSQL ended because of a full disk. Checks the free space, too: there may be no space for its log. */
export function isDiskFull(reason: string, folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return /No space left on device/i.test(reason) || bavail * bsize < DISK_NEEDED_BYTES;
}
