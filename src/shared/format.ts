import type { PaidCard } from './orders.ts';
import type { Counted } from './paging.ts';
import type { ShippingAddress } from './shipping.ts';

/** The shop's time zone: days of statistics, filters and reports begin at its midnight, and mails state its time. */
export const SHOP_TIME_ZONE = 'Asia/Kuala_Lumpur';

const LOCALE = 'en-MY';

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;

// The zone is written as an offset, because abbreviations such as CST are ambiguous.
const moment = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'shortOffset' } as const;

const ownMoment = new Intl.DateTimeFormat(LOCALE, moment);

const shopMoment = new Intl.DateTimeFormat(LOCALE, { ...moment, timeZone: SHOP_TIME_ZONE });

const ownDay = new Intl.DateTimeFormat(LOCALE, day);

const dayAndMonth = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });

// The locale en-CA formats dates as YYYY-MM-DD.
const isoDayOfShop = new Intl.DateTimeFormat('en-CA', { timeZone: SHOP_TIME_ZONE, dateStyle: 'short' });

/** For the browser: formats a time in the reader's own time zone, e.g. `22 Nov 2026, 14:05 GMT+8`. */
export const formatMoment = (at: Date | string): string => ownMoment.format(new Date(at));

/** Formats a time in the shop's time zone: for receipts, and for mails and server pages, which do not know the reader's. */
export const formatShopMoment = (at: Date | string): string => shopMoment.format(new Date(at));

/** Formats the day in the reader's own time zone, e.g. `22 Nov 2026`. */
export const formatDay = (at: Date | string): string => ownDay.format(new Date(at));

/** Formats a day of the shop (YYYY-MM-DD), e.g. `21 Nov`. */
export const formatShopDay = (shopDay: string): string => dayAndMonth.format(new Date(`${shopDay}T00:00:00Z`));

export const shopDayOf = (at: Date): string => isoDayOfShop.format(at);

/** Returns the name of the reader's own time zone, e.g. `Asia/Kuala_Lumpur`. */
export const ownTimeZone = (): string => ownMoment.resolvedOptions().timeZone;

/** Whether the reader's time zone differs from the shop's at `now`. */
export const isShopTimeElsewhere = (now: Date): boolean => formatMoment(now) !== formatShopMoment(now);

/** Formats a number with separators of thousands, and with exactly `decimals` decimals. */
export const formatCount = (count: number, decimals = 0): string =>
  count.toLocaleString('en-MY', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** Returns a noun in the number of `count`, without the count. */
export const plural = (count: number, noun: string): string => (count === 1 ? noun : `${noun}s`);

export const formatTotal = ({ total, hasUncounted }: Counted): string =>
  `${formatCount(total)}${hasUncounted ? '+' : ''}`;

export const formatAddress = ({ street, city, state, zipCode, country }: ShippingAddress): string =>
  [street, city, `${zipCode} ${state}`.trim(), country].filter(Boolean).join(', ');

/** Whether a text contains what somebody typed, as the server searches: regardless of case and of the form of accents. */
export const contains = (text: string, typed: string): boolean => comparable(text).includes(comparable(typed));

const comparable = (text: string): string => text.normalize('NFC').toLowerCase();

/** Returns the first character of a name as a capital; an emoji is two units of a string. */
export const initialOf = (name: string): string => (Array.from(name.trim())[0] ?? '?').toUpperCase();

/** Returns the file type in upper case, e.g. `PDF` for `Guide.pdf`; empty if the name has no extension. */
export const fileTypeOf = (name: string): string => /\.(\w{1,8})$/.exec(name)?.[1]?.toUpperCase() ?? '';

/** Returns a wait of more than a minute, rounded up, e.g. `3 minutes`; in hours beyond 89 minutes. */
export const waitInWords = (seconds: number): string =>
  seconds > 89 * 60 ? `${Math.ceil(seconds / 3600)} hours` : `${Math.ceil(seconds / 60)} minutes`;

/** Formats a size, e.g. `3.4 MB`: units of 1,024, with one decimal below ten. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} ${plural(bytes, 'byte')}`;
  const inKilobytes = bytes / 1_024;
  const [amount, unit] = inKilobytes < 999.5 ? [inKilobytes, 'kB'] : [inKilobytes / 1_024, 'MB'];
  return `${amount < 9.95 ? Number(amount.toFixed(1)) : Math.round(amount)} ${unit}`;
}

/** Returns the order number that people read: the last 8 characters of the id in upper case. */
export const orderNumber = (orderId: string): string => orderId.slice(-8).toUpperCase();

/** Shown wherever a step leads to the items. content/refunds.md explains this rule of the shop. */
export const OPENING_ENDS_RETURN = 'Opening the items ends the right of return.';

const brands = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
  ['diners', 'Diners Club'],
  ['jcb', 'JCB'],
  ['unionpay', 'UnionPay'],
]);

/** Returns the name of a card, e.g. `Visa •••• 4242`. */
export const cardName = (paid: PaidCard | null): string =>
  paid ? `${brands.get(paid.brand) ?? 'Card'} •••• ${paid.last4}` : 'the card that paid';

// The blocks of Hebrew, Arabic and the other scripts that are written from right to left.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

// They would turn round the text behind a name, too.
const MARKS_OF_DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** Isolates a name in a plain text, so that what is beside a name in Arabic or Hebrew, or with such marks, keeps its place. */
export function isolated(name: string): string {
  const plain = name.replace(MARKS_OF_DIRECTION, '');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Isolates the names in a message of the shop or in an entry of the audit log, which have them in quotation marks. */
export const isolateNames = (text: string): string => text.replace(/(?<=["“])[^"“”]+(?=["”])/g, isolated);

/** Lists units of a parcel or of a refund, e.g. `1 × Neon Apex Rally, 2 × Steam Key`. */
export const unitsInWords = (items: readonly { name: string; quantity: number }[]): string =>
  items.map(({ name, quantity }) => `${quantity} × ${isolated(name)}`).join(', ');
