import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitWith, say } from './console.mjs';
import { cacheFolder, repositoryRoot } from './paths.mjs';

const heartbeatMs = 1_000;
const abandonedAfterMs = 10_000;

/**
 * Lets one process at a time do a piece of work, so that `npm start` and `npm test` can be typed side by side. The lock
 * is a folder (making one is atomic everywhere) that says whose it is and whose time is renewed while the work goes on.
 * One that a killed process left is taken over: at once when that process is gone, and in any case when the renewing
 * has stopped, for another process may have got the number.
 */
export async function withLock(name, work) {
  const lockFolder = join(cacheFolder, `${name}.lock`);
  makeCacheFolder();
  await acquire(lockFolder, name);
  writeFileSync(join(lockFolder, 'pid'), String(process.pid));
  const heartbeat = setInterval(() => renew(lockFolder), heartbeatMs);
  const release = () => rmSync(lockFolder, { recursive: true, force: true });
  process.on('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
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

async function acquire(lockFolder, name) {
  let announced = false;
  while (!tryToMake(lockFolder)) {
    if (isAbandoned(lockFolder)) {
      rmSync(lockFolder, { recursive: true, force: true });
      continue;
    }
    if (!announced) say(`Waiting for another process that is busy with the same step (${name}) ...`);
    announced = true;
    await delay(200);
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

function isAbandoned(lockFolder) {
  const renewedAt = statSync(lockFolder, { throwIfNoEntry: false })?.mtimeMs;
  if (renewedAt === undefined) return false;
  return isHolderGone(join(lockFolder, 'pid')) || Date.now() - renewedAt > abandonedAfterMs;
}

function isHolderGone(pidFile) {
  if (!existsSync(pidFile)) return false;
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function renew(lockFolder) {
  if (!existsSync(lockFolder)) return;
  const now = new Date();
  utimesSync(lockFolder, now, now);
}
