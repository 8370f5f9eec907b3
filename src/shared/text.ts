import * as z from 'zod/mini';

// PostgreSQL cannot store NUL, and a lone surrogate has no UTF-8: both are refused here, where the field can be named.
const storable = (value: string) => !value.includes('\u0000') && value.isWellFormed();
const oneLine = (value: string) => !/[\r\n\u2028\u2029]/.test(value);

const maxLength = (max: number) => z.maxLength(max, `Please enter at most ${max.toLocaleString('en')} characters`);

/** Text of several lines, trimmed, at most `max` UTF-16 units. */
export const text = (max: number) =>
  z.string().check(z.trim(), maxLength(max), z.refine(storable, 'contains a character that cannot be stored'));

/** Text of one line, trimmed: a line break in a name could otherwise become a mail header or a log line. */
export const line = (max: number) => text(max).check(z.refine(oneLine, 'must be a single line'));

export const requiredText = (max: number) => text(max).check(z.minLength(1, 'is required'));
export const requiredLine = (max: number) => line(max).check(z.minLength(1, 'is required'));

/** In lower case, as the database writes it: what is encrypted is bound to its ids as texts. */
export const id = z.uuid('must be an id').check(z.toLowerCase());
export const idParams = z.object({ id });

/** An e-mail address as one identity: trimmed and lower case (docs/security.md). */
export const email = z.string().check(z.trim(), z.toLowerCase(), maxLength(254), z.email('must be an e-mail address'));

export const personName = requiredLine(100);
export const phone = line(40);

/** Dollars of USD with two decimals, as money travels in the API; inside the server it is integer cents. */
export const dollars = z.number();

/** A moment as an ISO 8601 string with time zone. */
export const timestamp = z.iso.datetime({ offset: true });
