import { statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Postmaster } from './postmaster.ts';

/** What happens to PostgreSQL while the shop runs. Without listeners it is restarted all the same. */
export interface DatabaseEvents {
  /** It ended by itself, or did not start again. `diskFull` is reported once, until it runs again. */
  ended(reason: string, diskFull: boolean): void;
  running(): void;
  /** It ended five times in a minute. It is not started again. */
  givenUp(reason: string): void;
}

export interface KeptPostmaster {
  /** The process that runs or starts now, or ran last. */
  current(): Postmaster;
  /** From now on it is not started again. */
  release(): void;
  /** Resolves when no start is under way any more. The process that then runs is left to the caller. */
  released: Promise<void>;
}

const MAX_FAILURES = 5;
const WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const DISK_PAUSE_MS = 1_000;
// PostgreSQL writes its log of transactions in files of 16 MiB and needs a whole one to go on.
const DISK_NEEDED_BYTES = 32 * 1024 * 1024;

/**
 * Starts PostgreSQL again whenever it ends. The pauses grow, and the fifth failure in a minute is the last. A full disk does
 * not count: a start is tried every second until there is space.
 */
export function keepPostmaster(
  first: Postmaster,
  options: {
    folder: string;
    /** Rejects when it does not start; `starting` hears of the process before it is ready. */
    start: (starting: (postmaster: Postmaster) => void) => Promise<Postmaster>;
    events: Partial<DatabaseEvents>;
  },
): KeptPostmaster {
  const { folder, start, events } = options;
  const release = new AbortController();
  const failures: number[] = [];
  let current = first;
  let isDiskFullReported = false;

  async function keep(): Promise<void> {
    let reason: string | undefined = await current.ended;
    while (!release.signal.aborted) {
      const pauseMs = judge(reason);
      if (pauseMs === undefined) return;
      await delay(pauseMs, undefined, { signal: release.signal }).catch(() => undefined);
      if (release.signal.aborted) return;
      reason = await startAgain();
      if (release.signal.aborted) return;
      if (reason !== undefined) continue;
      isDiskFullReported = false;
      events.running?.();
      reason = await current.ended;
    }
  }

  /** The pause before the next start; undefined when there is none. */
  function judge(reason: string): number | undefined {
    if (isDiskFull(reason, folder)) {
      if (!isDiskFullReported) events.ended?.(reason, true);
      isDiskFullReported = true;
      return DISK_PAUSE_MS;
    }
    const now = performance.now();
    failures.push(now);
    const recent = failures.filter((at) => now - at < WINDOW_MS).length;
    if (recent >= MAX_FAILURES) {
      events.givenUp?.(reason);
      return undefined;
    }
    events.ended?.(reason, false);
    return recent === 1 ? 0 : FIRST_PAUSE_MS * 2 ** (recent - 2);
  }

  async function startAgain(): Promise<string | undefined> {
    try {
      current = await start((starting) => {
        current = starting;
      });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  const released = keep();
  return { current: () => current, release: () => release.abort(), released };
}

/** By the free space, because PostgreSQL's complaint may have found no room in its log either. */
function isDiskFull(reason: string, folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return /No space left on device/i.test(reason) || bavail * bsize < DISK_NEEDED_BYTES;
}
