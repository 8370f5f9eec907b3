import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trendPercent, trendPeriods, trendText } from './admin.ts';

const textOf = (current: number, previous: number) => trendText(trendPercent({ current, previous }));

describe('a trend', () => {
  it.each([
    [1125, 1000, '+12.5%'],
    [184, 170, '+8.2%'],
    [68, 59, '+15.3%'],
    [21, 20, '+5.0%'],
    [20, 21, '-4.8%'],
    [0, 7, '-100.0%'],
    [300, 100, '+200.0%'],
    [28_838, 1000, '+2,783.8%'],
    [7, 7, '0.0%'],
    [0, 0, '0.0%'],
    [7, 0, 'New'],
    // A change that rounds to zero has no sign.
    [10_001, 10_000, '0.0%'],
    [9_999, 10_000, '0.0%'],
    // Half a tenth is rounded away from zero in both directions.
    [10_005, 10_000, '+0.1%'],
    [9_995, 10_000, '-0.1%'],
  ])('from %2$i to %1$i is formatted', (current, previous, text) => {
    expect(textOf(current, previous)).toBe(text);
  });

  it('is within 0.05 of the true percentage and has its sign', () => {
    const amount = fc.integer({ min: 0, max: 2_000_000_000 });
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 2_000_000_000 }), (current, previous) => {
        const percent = trendPercent({ current, previous }) ?? Number.NaN;
        const exact = ((current - previous) / previous) * 100;
        expect(Math.abs(percent - exact)).toBeLessThanOrEqual(0.05 + Math.abs(exact) * 1e-12);
        expect(Object.is(percent, -0)).toBe(false);
        expect(percent * (current - previous)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('the periods of a trend', () => {
  it.each(['2026-03-09T10:30:00Z', '2026-01-01T00:00:00Z', '2028-02-29T23:59:59.999Z'])(
    'at %s are two adjacent periods of thirty days, of which the second ends at that time',
    (moment) => {
      const now = new Date(moment);
      const { current, previous } = trendPeriods(now);
      const days = ({ from, to }: typeof current) => (to.getTime() - from.getTime()) / 86_400_000;
      expect([days(current), days(previous)]).toEqual([30, 30]);
      expect(current.to).toEqual(now);
      expect(previous.to).toEqual(current.from);
    },
  );
});
