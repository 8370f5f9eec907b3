const DAY_MS = 24 * 60 * 60 * 1000;

/** May have a fraction; a negative count of days lies ahead. */
export const daysBefore = (now: Date, days: number): Date =>
  new Date(now.getTime() - Math.round(days * DAY_MS));
