const TREND_MS = 30 * 24 * 60 * 60 * 1000;

/** `from` is included, `to` is not. */
export type Period = { from: Date; to: Date };

/** The last 30 days of 24 hours, and the 30 before. */
export function trendPeriods(now: Date): { current: Period; previous: Period } {
  const turn = new Date(now.getTime() - TREND_MS);
  return { current: { from: turn, to: now }, previous: { from: new Date(turn.getTime() - TREND_MS), to: turn } };
}

/** Growth in per cent to one decimal, halves away from zero; from 0 to 0 is 0, from 0 to more is null. */
export function trendPercent({ current, previous }: { current: number; previous: number }): number | null {
  if (previous === 0) return current === 0 ? 0 : null;
  const tenths = ((current - previous) * 1000) / previous;
  // Adding 0 turns a negative zero into a plain one.
  return (Math.sign(tenths) * Math.round(Math.abs(tenths))) / 10 + 0;
}

/** `+12.5%`, `-3.0%`, `0.0%`, or `New` for null. */
export function trendText(percent: number | null): string {
  if (percent === null) return 'New';
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;
}
