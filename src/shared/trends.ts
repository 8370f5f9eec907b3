import { DAY_MS } from './durations.ts';

const TREND_MS = 30 * DAY_MS;

/** From `from`, up to but not including `to`. */
export type Period = { from: Date; to: Date };

/** Returns the last 30 days, of 24 hours each, and the 30 days before them. */
export function trendPeriods(now: Date): { current: Period; previous: Period } {
  const turn = new Date(now.getTime() - TREND_MS);
  return { current: { from: turn, to: now }, previous: { from: new Date(turn.getTime() - TREND_MS), to: turn } };
}

/**
 * Returns the growth in per cent with one decimal, rounded half away from zero. If the earlier value is 0, returns 0
 * without a change and null otherwise.
 */
export function trendPercent({ current, previous }: { current: number; previous: number }): number | null {
  if (previous === 0) return current === 0 ? 0 : null;
  const tenths = ((current - previous) * 1000) / previous;
  // Adding 0 turns a negative zero into a plain one.
  return (Math.sign(tenths) * Math.round(Math.abs(tenths))) / 10 + 0;
}

/** Formats a trend: `+12.5%`, `-3.0%`, `0.0%`, or `New` for null. */
export function trendText(percent: number | null): string {
  if (percent === null) return 'New';
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;
}
