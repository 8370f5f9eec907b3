/** The shop's only source of the time: the database's (database/database-clock.ts), or what a test has put in its place. */
export interface Clock {
  now(): Date;
}

/** The machine's: for tests, and for tools that stand beside a shop. */
export const systemClock: Clock = { now: () => new Date() };
