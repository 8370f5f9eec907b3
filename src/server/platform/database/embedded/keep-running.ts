import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../../system-errors.ts';
import { isDiskFull } from './data-folder.ts';

/** Callbacks for what happens to PostgreSQL while the shop runs. */
export interface DatabaseEvents {
  /** PostgreSQL ended, or a restart failed. With `diskFull`, called once until PostgreSQL runs again. */
  ended(reason: string, diskFull: boolean): void;
  running(): void;
  /** PostgreSQL failed five times in a minute and is not started again. */
  givenUp(reason: string): void;
}

const MAX_FAILURES = 5;
const WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const DISK_PAUSE_MS = 1_000;

/**
 * Restarts PostgreSQL whenever it ends, until `signal` aborts. The pauses grow, and the fifth failure in a minute ends
 * the restarts. On a full disk a start is tried every second until there is space.
 */
export async function keepRunning(
  options: { start: () => Promise<void>; ended: () => Promise<string>; dataDir: string; signal: AbortSignal },
  events?: DatabaseEvents,
): Promise<void> {
  const { start, ended, dataDir, signal } = options;
  const failures: number[] = [];
  let isDiskFullReported = false;

  /** Returns the pause before the next start in milliseconds; undefined when there must be no further start. */
  function pauseAfter(reason: string): number | undefined {
    if (isDiskFull(reason, dataDir)) {
      if (!isDiskFullReported) events?.ended(reason, true);
      isDiskFullReported = true;
      return DISK_PAUSE_MS;
    }
    const now = performance.now();
    failures.push(now);
    const recent = failures.filter((at) => now - at < WINDOW_MS).length;
    if (recent >= MAX_FAILURES) {
      events?.givenUp(reason);
      return undefined;
    }
    events?.ended(reason, false);
    return recent === 1 ? 0 : FIRST_PAUSE_MS * 2 ** (recent - 2);
  }

  let reason = await ended();
  while (!signal.aborted) {
    const pauseMs = pauseAfter(reason);
    if (pauseMs === undefined) return;
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const failure = await start().catch(reasonOf);
    if (signal.aborted) return;
    if (failure === undefined) {
      isDiskFullReported = false;
      events?.running();
    }
    reason = failure ?? (await ended());
  }
}
