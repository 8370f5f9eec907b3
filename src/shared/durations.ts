/** Durations in milliseconds. The days of the calendar are in format.ts. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `days` may have a fraction; a negative number gives a later time. */
export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - Math.round(days * DAY_MS));
