import type { Counted } from './paging.ts';

/** Where the shop is: a day of its statistics, filters and reports begins at midnight there, and mails tell its time. */
export const SHOP_TIME_ZONE = 'Asia/Kuala_Lumpur';

const LOCALE = 'en-MY';

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;

// The offset names the zone everywhere alike; abbreviations such as CST are ambiguous.
const moment = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'shortOffset' } as const;

const ownMoment = new Intl.DateTimeFormat(LOCALE, moment);

const shopMoment = new Intl.DateTimeFormat(LOCALE, { ...moment, timeZone: SHOP_TIME_ZONE });

const ownDay = new Intl.DateTimeFormat(LOCALE, day);

const dayAndMonth = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });

// That locale writes YYYY-MM-DD.
const isoDayOfShop = new Intl.DateTimeFormat('en-CA', { timeZone: SHOP_TIME_ZONE, dateStyle: 'short' });

/** `22 Nov 2026, 14:05 GMT+8`, in the reader's own time zone: for the browser. */
export const formatMoment = (at: Date | string): string => ownMoment.format(new Date(at));

/** The same in the shop's time zone: for mails and pages made on the server, where the reader's zone is not known. */
export const formatShopMoment = (at: Date | string): string => shopMoment.format(new Date(at));

/** `22 Nov 2026`, in the reader's own time zone. */
export const formatDay = (at: Date | string): string => ownDay.format(new Date(at));

/** `21 Nov` of a day of the shop (YYYY-MM-DD). */
export const formatShopDay = (shopDay: string): string => dayAndMonth.format(new Date(`${shopDay}T00:00:00Z`));

export const shopDayOf = (at: Date): string => isoDayOfShop.format(at);

/** The reader's own time zone by name, as in `Asia/Kuala_Lumpur`. */
export const ownTimeZone = (): string => ownMoment.resolvedOptions().timeZone;

/** Whether the reader's clock shows another time than the shop's. */
export const isShopTimeElsewhere = (now: Date): boolean => formatMoment(now) !== formatShopMoment(now);

export const formatCount = (count: number): string => count.toLocaleString('en-MY');

export const formatTotal = ({ total, hasUncounted }: Counted): string =>
  `${formatCount(total)}${hasUncounted ? '+' : ''}`;

export const formatAddress = (address: Record<'street' | 'city' | 'state' | 'zipCode' | 'country', string>): string => {
  const { street, city, state, zipCode, country } = address;
  return [street, city, `${zipCode} ${state}`.trim(), country].filter(Boolean).join(', ');
};
