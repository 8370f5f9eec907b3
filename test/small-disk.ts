import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const CHUNK = Buffer.alloc(64 * 1024);

export interface SmallDisk {
  fill(): void;
  /** Fills the rest of the last page of a file on the full disk, except for `butFor` bytes. */
  fillFile(file: string, room: { butFor: number }): void;
  makeSpace(): void;
}

/** Mounts a tmpfs at the folder, until unmountUnder(). Mounting needs root; without it the test fails. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'kedai-test', folder], {
      stdio: 'pipe',
    });
  } catch (error) {
    throw new Error('The test of a full disk needs a small tmpfs: run it as root, who may mount one', { cause: error });
  }
  const filler = join(folder, 'filler');
  return {
    fill: () => appendUntilFull(filler),
    fillFile: (file, { butFor }) => {
      appendUntilFull(file);
      truncateSync(file, statSync(file).size - butFor);
    },
    makeSpace: () => rmSync(filler),
  };
}

function appendUntilFull(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (;;) writeSync(file, CHUNK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

/** Unmounts everything at or below the folder, including what a killed test run left. */
export function unmountUnder(folder: string): void {
  if (process.platform !== 'linux') return;
  const mounted = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path === folder || path.startsWith(`${folder}/`));
  for (const path of mounted) execFileSync('umount', ['--lazy', path]);
}
