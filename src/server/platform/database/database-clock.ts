import type { Logger } from 'pino';
import { type Database, rowOf } from './database.ts';

/** The shop's only source of the time: the clock of the database, or a replacement in tests. */
export interface Clock {
  now(): Date;
}

interface Measurement {
  /** The database's time since 1970 minus this process's monotonic time, in milliseconds. */
  offsetMs: number;
  roundTripMs: number;
  atMs: number;
}

type ClockLog = Pick<Logger, 'error' | 'info'>;

interface LocalTime {
  wallMs: () => number;
  /** Unaffected when the machine's clock is set. */
  monotonicMs: () => number;
}

const MEASURE_EVERY_MS = 15_000;
// Measurements of two minutes: a quartz clock takes hours to drift by a second.
const KEPT_MEASUREMENTS = 8;
const TOO_OLD_MS = 180_000;
const SKEW_ALERT_MS = 5_000;

const machineTime: LocalTime = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/**
 * Opens a clock that follows the database: this process's monotonic time plus the offset measured with the shortest
 * recent round trip. Setting the machine's clock has no effect. Throws when the first measurement fails. If a later one
 * fails, the last offset is kept. Logs an alert when the machine's clock is wrong, and when the time has not been
 * measured for too long.
 */
export async function openDatabaseClock({ db, log }: { db: Database; log: ClockLog }) {
  const readTime = () => rowOf<{ ms: number }>(db)`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS ms`;
  const clock = createDatabaseClock({ log, readTime: async () => (await readTime()).ms });
  await clock.measure();
  const timer = setInterval(() => void clock.measure().catch(clock.missed), MEASURE_EVERY_MS).unref();
  return { ...clock, stop: () => clearInterval(timer) };
}

/** Creates the clock without a timer: each call of `measure` measures once. */
export function createDatabaseClock(options: { readTime: () => Promise<number>; log: ClockLog; local?: LocalTime }) {
  const { readTime, log, local = machineTime } = options;
  let measurements: Measurement[] = [];
  let best: Measurement | undefined;
  let isSkewed = false;
  let isLost = false;

  const nowMs = () => {
    if (!best) throw new Error('The time was not measured yet');
    return best.offsetMs + local.monotonicMs();
  };
  /** Returns false when the last measurement is too old to decide whether something has expired. */
  const isMeasured = () => {
    const latest = measurements.at(-1);
    return latest !== undefined && local.monotonicMs() - latest.atMs <= TOO_OLD_MS;
  };

  async function measure(): Promise<void> {
    const sentMs = local.monotonicMs();
    const databaseMs = await readTime();
    const atMs = local.monotonicMs();
    const roundTripMs = atMs - sentMs;
    const measured = { offsetMs: databaseMs - (sentMs + atMs) / 2, roundTripMs, atMs };
    // An offset is accurate to half its round trip. A larger difference means that the database's clock was set.
    const wasSet = best && Math.abs(measured.offsetMs - best.offsetMs) > (roundTripMs + best.roundTripMs) / 2 + 50;
    measurements = [...(wasSet ? [] : measurements), measured].slice(-KEPT_MEASUREMENTS);
    best = measurements.reduce((one, other) => (other.roundTripMs < one.roundTripMs ? other : one));
    if (isLost) log.info('the time of the database is known again');
    isLost = false;
    compareWithWall();
  }

  /** The machine's clock minus the database's. */
  const clockSkewMs = () => Math.round(local.wallMs() - nowMs());

  function compareWithWall(): void {
    const skewMs = clockSkewMs();
    const wasSkewed = isSkewed;
    isSkewed = Math.abs(skewMs) > SKEW_ALERT_MS;
    if (isSkewed && !wasSkewed) {
      log.error({ alert: 'clock-skew', skewMs }, 'the clock of this machine differs from the clock of the database');
    }
    if (wasSkewed && !isSkewed) log.info({ skewMs }, 'the clock of this machine is right again');
  }

  /** Records a failed measurement. Logs an alert only when the last successful one is too old. */
  function missed(error: unknown): void {
    if (isLost || isMeasured()) return;
    isLost = true;
    log.error({ err: error, alert: 'clock-unknown' }, 'the time of the database is unknown: the sweeper is paused');
  }

  return { now: () => new Date(nowMs()), isMeasured, skewMs: clockSkewMs, measure, missed };
}
