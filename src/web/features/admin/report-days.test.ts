import { expect, it } from 'vitest';
import { daysOf } from './report-days.ts';

it.each([
  ['2026-03-31T15:59:59Z', '2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28', '2026-03-02'],
  ['2026-03-31T16:00:00Z', '2026-04-01', '2026-04-01', '2026-03-01', '2026-03-31', '2026-03-03'],
  ['2028-03-01T00:00:00Z', '2028-03-01', '2028-03-01', '2028-02-01', '2028-02-29', '2028-02-01'],
  ['2026-12-31T16:00:00Z', '2027-01-01', '2027-01-01', '2026-12-01', '2026-12-31', '2026-12-03'],
])('at %s the periods follow the calendar of the shop', (at, monthFrom, today, lastFrom, lastTo, thirty) => {
  const now = new Date(at);
  expect(daysOf('this-month', now)).toEqual({ from: monthFrom, to: today });
  expect(daysOf('last-month', now)).toEqual({ from: lastFrom, to: lastTo });
  expect(daysOf('last-30-days', now)).toEqual({ from: thirty, to: today });
});
