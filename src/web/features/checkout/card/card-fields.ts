import * as z from 'zod/mini';

/** The check digit of ISO/IEC 7812 (Luhn). */
function passesChecksum(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, position) => {
    const value = Number(digit) * (position % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Parses an expiry date, whose year has two digits. */
export function monthAndYear(expiry: string): { month: number; year: number } {
  const digits = digitsOf(expiry);
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

/** A card is valid until the end of its month. */
function isExpired(expiry: string): boolean {
  const { month, year } = monthAndYear(expiry);
  const now = new Date();
  return year * 12 + month < now.getFullYear() * 12 + now.getMonth() + 1;
}

const hasValidMonth = (expiry: string) => {
  const { month } = monthAndYear(expiry);
  return month >= 1 && month <= 12;
};

export const cardSchema = z.object({
  number: z.string().check(
    z.refine((value) => digitsOf(value).length >= 13, { error: 'Your card number is incomplete.', abort: true }),
    z.refine((value) => passesChecksum(digitsOf(value)), 'Your card number is invalid.'),
  ),
  expiry: z.string().check(
    z.refine((value) => digitsOf(value).length === 4, {
      error: "Your card's expiration date is incomplete.",
      abort: true,
    }),
    z.refine(hasValidMonth, { error: "Your card's expiration month is invalid.", abort: true }),
    z.refine((value) => !isExpired(value), "Your card's expiration date is in the past."),
  ),
  cvc: z.string().check(z.refine((value) => digitsOf(value).length >= 3, "Your card's security code is incomplete.")),
});
export type CardDetails = z.infer<typeof cardSchema>;

const NUMBER_MAX_DIGITS = 19;
const CVC_MAX_DIGITS = 4;

export const digitsOf = (value: string) => value.replace(/\D/g, '');

/** Formats a card number, e.g. `4242 4242 4242 4242`. */
export function formatCardNumber(value: string): string {
  return digitsOf(value)
    .slice(0, NUMBER_MAX_DIGITS)
    .replace(/(.{4})(?=.)/g, '$1 ');
}

/** Formats an expiry date as `12 / 34`; also accepts what browsers fill in (`12/34`, `12/2034`). */
export function formatExpiry(value: string): string {
  let digits = digitsOf(value);
  if (/^[2-9]/.test(digits)) digits = `0${digits}`;
  const month = digits.slice(0, 2);
  const year = digits.length === 6 ? digits.slice(4) : digits.slice(2, 4);
  return year === '' ? month : `${month} / ${year}`;
}

export const formatCvc = (value: string) => digitsOf(value).slice(0, CVC_MAX_DIGITS);

/** Reformats the input's value and keeps the caret behind the same digit. */
export function formatInPlace(input: HTMLInputElement, format: (value: string) => string): void {
  const caret = input.selectionStart ?? input.value.length;
  const atEnd = caret === input.value.length;
  const digitsBefore = digitsOf(input.value.slice(0, caret)).length;
  const formatted = format(input.value);
  if (formatted === input.value) return;
  input.value = formatted;
  if (atEnd) return;
  let position = 0;
  for (let seen = 0; seen < digitsBefore && position < formatted.length; position++) {
    if (/\d/.test(formatted.charAt(position))) seen++;
  }
  input.setSelectionRange(position, position);
}
