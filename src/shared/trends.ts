const DAY_MS = 24 * 60 * 60 * 1000;

/** A trend sets the last 30 days against the 30 before. */
const TREND_DAYS = 30;

export interface Period {
  /** Included. */
  from: Date;
  /** Not included. */
  to: Date;
}

/** The two spans of time that a trend compares at `now`, of 24-hour days that end now. */
export function trendPeriods(now: Date): { current: Period; previous: Period } {
  const [turn, start] = [1, 2].map((count) => new Date(now.getTime() - count * TREND_DAYS * DAY_MS)) as [Date, Date];
  return { current: { from: turn, to: now }, previous: { from: start, to: turn } };
}

/**
 * By how many per cent a count or an amount of cents grew, to one decimal, halves away from zero; negative when it
 * shrank. From nothing to nothing is 0; null when there was nothing to grow from.
 */
export function trendPercent({ current, previous }: { current: number; previous: number }): number | null {
  if (previous === 0) return current === 0 ? 0 : null;
  const tenths = ((current - previous) * 1000) / previous;
  // Adding 0 turns a negative zero into a plain one.
  return (Math.sign(tenths) * Math.round(Math.abs(tenths))) / 10 + 0;
}

/** As a tile shows it: `+12.5%`, `-3.0%`, `0.0%`; `New` when there was nothing to grow from. */
export function trendText(percent: number | null): string {
  if (percent === null) return 'New';
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;
}
