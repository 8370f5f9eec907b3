import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

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

const full = (dataDir: string) =>
  `DATA_DIR ${dataDir} is on a full disk: make space there, or choose another folder.`;
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
