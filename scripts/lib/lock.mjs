import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitWith } from './console.mjs';
import { cacheFolder, repositoryRoot } from './paths.mjs';

const renewEveryMs = 1_000;
const abandonedAfterMs = 10_000;

/**
 * Runs `work` in one process at a time, so that `npm start` and `npm test` can be typed side by side. The lock is a
 * folder, because creating one is atomic everywhere. Its time is renewed while the work goes on; a lock with an old
 * time belongs to a killed process and is taken over.
 */
export async function withLock(name, work) {
  const lockFolder = join(cacheFolder, `${name}.lock`);
  makeCacheFolder();
  for (let announced = false; !tryToMake(lockFolder); announced = true) {
    const renewedAt = statSync(lockFolder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Math.abs(Date.now() - renewedAt) > abandonedAfterMs) rmSync(lockFolder, { recursive: true, force: true });
    else if (!announced)
      console.log(`Waiting for another process with the same step (${name}); if it was killed, for 10 seconds ...`);
    await delay(200);
  }
  const renew = () => existsSync(lockFolder) && utimesSync(lockFolder, new Date(), new Date());
  const timer = setInterval(renew, renewEveryMs);
  const release = () => rmSync(lockFolder, { recursive: true, force: true });
  process.on('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.off('exit', release);
    release();
  }
}

function makeCacheFolder() {
  try {
    mkdirSync(cacheFolder, { recursive: true });
    accessSync(cacheFolder, constants.W_OK);
  } catch {
    exitWith(
      `${repositoryRoot} belongs to another user. Work as that user, or take it over: sudo chown -R $(id -un) "${repositoryRoot}"`,
    );
  }
}

function tryToMake(lockFolder) {
  try {
    mkdirSync(lockFolder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
