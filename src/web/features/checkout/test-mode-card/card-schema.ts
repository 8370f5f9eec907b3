import * as z from 'zod/mini';
import { digitsOf } from './card-format.ts';

/** The check digit of ISO/IEC 7812 (Luhn). */
function passesChecksum(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, position) => {
    const value = Number(digit) * (position % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** A card is good until the end of its month; the year has two digits. */
export function monthAndYear(expiry: string): { month: number; year: number } {
  const digits = digitsOf(expiry);
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

function isOver(expiry: string): boolean {
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
    z.refine((value) => digitsOf(value).length >= 13, {
      error: 'Your card number is incomplete.',
      abort: true,
    }),
    z.refine((value) => passesChecksum(digitsOf(value)), 'Your card number is invalid.'),
  ),
  expiry: z.string().check(
    z.refine((value) => digitsOf(value).length === 4, {
      error: "Your card's expiration date is incomplete.",
      abort: true,
    }),
    z.refine(hasValidMonth, { error: "Your card's expiration month is invalid.", abort: true }),
    z.refine((value) => !isOver(value), "Your card's expiration date is in the past."),
  ),
  cvc: z
    .string()
    .check(z.refine((value) => digitsOf(value).length >= 3, "Your card's security code is incomplete.")),
});
export type CardDetails = z.infer<typeof cardSchema>;
