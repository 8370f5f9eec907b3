import type { Clock } from '../src/server/platform/database/database-clock.ts';

/** The machine's clock, instead of the database's. */
export const systemClock: Clock = { now: () => new Date() };
