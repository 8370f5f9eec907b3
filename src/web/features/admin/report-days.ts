import { daysBefore } from '../../../shared/durations.ts';
import { shopDayOf } from '../../../shared/format.ts';

export interface ReportDays {
  from: string;
  to: string;
}

const firstOfMonth = (day: string) => `${day.slice(0, 8)}01`;

const dayBefore = (day: string, days: number) => daysBefore(new Date(day), days).toISOString().slice(0, 10);

export type ReportPeriod = 'this-month' | 'last-month' | 'last-30-days';

/** Returns the first and the last day of a report period, in the shop's time zone. */
export function daysOf(span: ReportPeriod, now: Date): ReportDays {
  const today = shopDayOf(now);
  if (span === 'this-month') return { from: firstOfMonth(today), to: today };
  if (span === 'last-30-days') return { from: dayBefore(today, 29), to: today };
  const to = dayBefore(firstOfMonth(today), 1);
  return { from: firstOfMonth(to), to };
}
