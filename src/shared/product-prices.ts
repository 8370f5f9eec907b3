import * as z from 'zod/mini';
import { toCents, toDollars } from './pricing.ts';
import { dollars, timestamp } from './text.ts';

/** Low enough that the cents of a cart's line fit PostgreSQL's integer. */
const MAX_DOLLARS = 100_000;

const wholeCents = (amount: number) => toDollars(toCents(amount)) === amount;

export const amountFrom = (least: number, refusal: string, most = MAX_DOLLARS) =>
  dollars.check(
    z.minimum(least, refusal),
    z.maximum(most, `must be at most ${most}`),
    z.refine(wholeCents, 'must be in whole cents'),
  );

export const amount = amountFrom(0, 'must not be negative');

export const price = amountFrom(0.01, 'Price must be greater than 0');

export const upTo = (most: number) =>
  z
    .int('must be a whole number')
    .check(z.minimum(0, 'must not be negative'), z.maximum(most, `must be at most ${most}`));

// Years from 2000 with four digits, as in a browser's date field and in ISO 8601.
const inOurTime = (value: string) => Date.parse(value) >= Date.UTC(2000) && Date.parse(value) < Date.UTC(10_000);

const moment = z.nullable(timestamp.check(z.refine(inOurTime, 'must be between the years 2000 and 9999')));

const endsAfterStart = ({ startDate, endDate }: Partial<Record<'startDate' | 'endDate', string | null | undefined>>) =>
  !startDate || !endDate || Date.parse(startDate) < Date.parse(endDate);

const END_BEFORE_START = { error: 'must be after the start', path: ['endDate'] };

export const discountInput = z
  .object({
    type: z.enum(['none', 'percentage', 'fixed']),
    /** Per cent with at most two decimals, or dollars. */
    value: amount,
    startDate: z.optional(moment),
    endDate: z.optional(moment),
  })
  .check(
    z.refine(({ type, value }) => type !== 'percentage' || value <= 100, {
      error: 'must be at most 100',
      path: ['value'],
    }),
    z.refine(endsAfterStart, END_BEFORE_START),
  );

export const flashSaleInput = z
  .object({
    active: z.optional(z.boolean()),
    price: amount,
    /** The current time if left out. */
    startDate: z.optional(moment),
    endDate: z.optional(moment),
    /** Units on sale at this price; null or left out means no limit. */
    limitedStock: z.optional(z.nullable(upTo(1_000_000))),
  })
  .check(z.refine(endsAfterStart, END_BEFORE_START));

export interface ProductOffers {
  discount?: z.infer<typeof discountInput> | null | undefined;
  flashSale?: Pick<z.infer<typeof flashSaleInput>, 'active' | 'price'> | null | undefined;
}

/** Whether neither offer exceeds a price in dollars, even while the offer does not run; true if a value is missing. */
export function isWithinPrice(price: number | undefined, { discount, flashSale }: ProductOffers): boolean {
  if (price === undefined) return true;
  if (flashSale && flashSale.active !== false && toCents(flashSale.price) > toCents(price)) return false;
  return discount?.type !== 'fixed' || toCents(discount.value) <= toCents(price);
}
