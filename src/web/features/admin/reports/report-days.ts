import { shopDayOf } from '../../../../shared/format.ts';

export interface Days {
  from: string;
  to: string;
}

const moved = (day: string, days: number): string => {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
};

/** The usual periods of a report, by the shop's own calendar. */
export const spans = {
  'this-month': { label: 'This month', days: (today: string): Days => ({ from: `${today.slice(0, 8)}01`, to: today }) },
  'last-month': {
    label: 'Last month',
    days: (today: string): Days => {
      const to = moved(`${today.slice(0, 8)}01`, -1);
      return { from: `${to.slice(0, 8)}01`, to };
    },
  },
  'last-30-days': { label: 'Last 30 days', days: (today: string): Days => ({ from: moved(today, -29), to: today }) },
} as const;
export type Span = keyof typeof spans;

export const daysOf = (span: Span, now: Date): Days => spans[span].days(shopDayOf(now));
