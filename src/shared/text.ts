import * as z from 'zod/mini';

// PostgreSQL cannot store NUL, and a lone surrogate has no UTF-8 encoding. Both are rejected here, so the error names
// the field.
const storable = (value: string) => !value.includes('\u0000') && value.isWellFormed();
const oneLine = (value: string) => !/[\r\n\u2028\u2029]/.test(value);

const maxLength = (max: number) => z.maxLength(max, `Please enter at most ${max.toLocaleString('en')} characters`);

/** Text that may have several lines, trimmed, of at most `max` UTF-16 code units. */
export const text = (max: number) =>
  z.string().check(z.trim(), maxLength(max), z.refine(storable, 'contains a character that cannot be stored'));

/** Text of one line, trimmed. A line break could otherwise inject a mail header or a log line. */
export const line = (max: number) => text(max).check(z.refine(oneLine, 'must be a single line'));

// A braille blank is a symbol to Unicode.
export const isVisible = (value: string) => /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(value);
const required = z.refine<string>(isVisible, 'is required');

export const requiredText = (max: number) => text(max).check(required);
export const requiredLine = (max: number) => line(max).check(required);

/** In lower case, as PostgreSQL prints it: ciphertexts are bound to ids as text, so upper case would not decrypt. */
export const id = z.uuid('must be an id').check(z.toLowerCase());
export const idParams = z.object({ id });

/** Id of what a form makes, chosen once by the form: sending the form twice makes it once. */
export const draft = z.optional(id);

/** An e-mail address, trimmed and in lower case, because it identifies an account (docs/security.md). */
export const email = z.string().check(z.trim(), z.toLowerCase(), maxLength(254), z.email('must be an email address'));

export const personName = requiredLine(100);
export const phone = line(40);

/** Money in the API: dollars of USD with two decimals. The server calculates in integer cents. */
export const dollars = z.number();

/** A time as an ISO 8601 string with time zone. */
export const timestamp = z.iso.datetime({ offset: true });
