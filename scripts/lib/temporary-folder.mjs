// Chooses the folder for a test run's databases, data folders and the pictures that Chromium passes between its
// processes.

import { accessSync, constants, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

// In memory, on Linux.
const SHARED_MEMORY = '/dev/shm';
// A run fills a fraction of it; the rest is for the processes of the tests.
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Returns TMPDIR if it is set, else memory where there is plenty, else the folder of the system. Tests make and drop
 * hundreds of databases: on a disk, that is half of the work of the tests that start a PostgreSQL.
 */
export function chooseTemporaryFolder() {
  return !process.env.TMPDIR && hasSpaceInMemory() ? SHARED_MEMORY : tmpdir();
}

function hasSpaceInMemory() {
  if (process.platform !== 'linux') return false;
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
