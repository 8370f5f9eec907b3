import type { Product } from './catalog.ts';

/** The share of the subtotal that is charged as tax (docs/conformance.md). */
const TAX_PERCENT = 6;

/** Cents of USD by which the totals of browser and server may differ before the price counts as changed. */
const PRICE_TOLERANCE_CENTS = 1;

/** From the start, up to but not including the end; null means no bound. */
type Duration = { startsAt: Date | null; endsAt: Date | null };

export type Discount = Duration &
  ({ type: 'percentage'; basisPoints: number } | { type: 'fixed'; amountCents: number });

/** `unitsLeft` is the number of units left at this price; null means no limit. */
export type FlashSale = Duration & { priceCents: number; unitsLeft: number | null };

/** Everything that decides what one unit costs. Money is integer cents of USD, rates are basis points. */
export type PriceTerms = { priceCents: number; discount: Discount | null; flashSale: FlashSale | null };

type EffectivePrice = { unitPriceCents: number; source: 'regular' | 'discount' | 'flash-sale' };

/** The amounts that are added to the items of an order to get its total. */
export const ADJUSTMENTS = ['shipping', 'tax'] as const;

/** The amounts of an order. `tax` is `taxCents` in code, `taxPrice` in calls (dollars), `tax_cents` in the database. */
export const AMOUNTS = ['items', ...ADJUSTMENTS, 'total'] as const;
type Amount = (typeof AMOUNTS)[number];

/** The sums of an order in cents of USD. */
export type Totals = Record<`${Amount}Cents`, number>;

/** The sums of an order in dollars of USD, as in calls. */
type Prices = Record<`${Amount}Price`, number>;

/** Makes an object with one field per amount: with the suffix `Price`, from `itemsPrice` to `totalPrice`. */
export function byAmount<Suffix extends string, Value>(suffix: Suffix, fieldOf: (amount: Amount) => Value) {
  const fields = AMOUNTS.map((amount) => [amount + suffix, fieldOf(amount)]);
  return Object.fromEntries(fields) as Record<`${Amount}${Suffix}`, Value>;
}

/** Converts the sums of an order from cents of USD to dollars, as calls carry them; `totalsIn` converts them back. */
export const pricesOf = (totals: Totals): Prices => byAmount('Price', (amount) => toDollars(totals[`${amount}Cents`]));

export const totalsIn = (prices: Prices): Totals => byAmount('Cents', (amount) => toCents(prices[`${amount}Price`]));

const MINIMUM_PRICE_CENTS = 1;

const isRunning = ({ startsAt, endsAt }: Duration, now: Date): boolean =>
  (startsAt === null || startsAt <= now) && (endsAt === null || endsAt > now);

/** Returns `cents * numerator / denominator` in whole cents, rounded half up. Arguments are non-negative integers. */
export const proportionOfCents = (cents: number, numerator: number, denominator: number): number =>
  Math.floor((cents * numerator * 2 + denominator) / (denominator * 2));

function discountedCents(priceCents: number, discount: Discount): number {
  const off =
    discount.type === 'fixed' ? discount.amountCents : proportionOfCents(priceCents, discount.basisPoints, 10_000);
  return Math.max(MINIMUM_PRICE_CENTS, priceCents - off);
}

/**
 * What each of `quantity` units of a line costs, in cents of USD: the flash sale while it runs and has units for all of
 * the line, else the discount while it runs, else the price. All units of a line have the same price: a sale with too
 * few units left applies to none of them.
 */
export function effectivePrice(terms: PriceTerms, quantity: number, now: Date): EffectivePrice {
  const { priceCents, discount, flashSale } = terms;
  if (flashSale && isRunning(flashSale, now) && (flashSale.unitsLeft === null || flashSale.unitsLeft >= quantity)) {
    return { unitPriceCents: Math.max(MINIMUM_PRICE_CENTS, flashSale.priceCents), source: 'flash-sale' };
  }
  if (discount && isRunning(discount, now)) {
    return { unitPriceCents: discountedCents(priceCents, discount), source: 'discount' };
  }
  return { unitPriceCents: priceCents, source: 'regular' };
}

export function priceTermsOf(product: Pick<Product, 'price' | 'discount' | 'flashSale'>): PriceTerms {
  const { price, discount, flashSale } = product;
  return {
    priceCents: toCents(price),
    discount: discount && discountTermsOf(discount),
    flashSale: flashSale && {
      ...duration(flashSale),
      priceCents: toCents(flashSale.price),
      unitsLeft: flashSale.unitsLeft,
    },
  };
}

function discountTermsOf(discount: NonNullable<Product['discount']>): PriceTerms['discount'] {
  const { type, value } = discount;
  if (type === 'none') return null;
  if (type === 'fixed') return { type, amountCents: toCents(value), ...duration(discount) };
  return { type, basisPoints: Math.round(value * 100), ...duration(discount) };
}

const date = (moment: string | null) => (moment === null ? null : new Date(moment));
const duration = ({ startDate, endDate }: Record<'startDate' | 'endDate', string | null>) => ({
  startsAt: date(startDate),
  endsAt: date(endDate),
});

/** The most an order can be worth: Stripe's maximum for one charge, eight digits of cents. */
export const MAX_ORDER_CENTS = 99_999_999;

/** Returns the tax on a subtotal, both in cents of USD; half a cent is rounded up. */
export const taxOn = (itemsCents: number): number => proportionOfCents(itemsCents, TAX_PERCENT, 100);

/** Adds up an order. Tax is calculated on the subtotal of all lines; shipping is not taxed. */
export function totalsOf(lines: readonly { unitPriceCents: number; quantity: number }[], shippingCents = 0): Totals {
  const itemsCents = lines.reduce((sum, line) => sum + line.unitPriceCents * line.quantity, 0);
  const taxCents = taxOn(itemsCents);
  return { itemsCents, taxCents, shippingCents, totalCents: itemsCents + taxCents + shippingCents };
}

/** Lists shipping and tax in cents of USD with their labels, for screens and mails; free shipping is left out. */
export function adjustmentsOf({ shippingCents, taxCents }: Totals) {
  const tax = { label: `Tax (${TAX_PERCENT}%)`, cents: taxCents };
  return shippingCents > 0 ? [{ label: 'Shipping', cents: shippingCents }, tax] : [tax];
}

/** A line of an order. `refundedQuantity` units were refunded before; `units` are refunded now. */
type RefundedLine = { unitPriceCents: number; quantity: number; refundedQuantity: number; units: number };

/**
 * Returns the refund of some units in cents of USD, with their share of the tax. The share is computed for all units
 * refunded so far, less the share of the units refunded before, so that refunds add up exactly. The refund of the last
 * units is all that is left, including shipping.
 */
export function refundCents(totals: Totals, lines: readonly RefundedLine[]): number {
  const priceOf = (units: (line: RefundedLine) => number) =>
    lines.reduce((sum, line) => sum + line.unitPriceCents * units(line), 0);
  const withTax = (cents: number) =>
    cents === 0 ? 0 : cents + proportionOfCents(totals.taxCents, cents, totals.itemsCents);
  const before = withTax(priceOf((line) => line.refundedQuantity));
  const all = lines.every((line) => line.refundedQuantity + line.units === line.quantity);
  if (all) return totals.totalCents - before;
  return withTax(priceOf((line) => line.refundedQuantity + line.units)) - before;
}

/** Converts whole cents of USD to dollars, as calls carry them. */
export const toDollars = (cents: number): number => cents / 100;

/** Converts dollars of USD to cents, rounded to the nearest. */
export const toCents = (dollars: number): number => Math.round(dollars * 100);

/** Whether two totals in dollars of USD count as the same price (docs/conformance.md). */
export const sameTotal = (left: number, right: number): boolean =>
  Math.abs(toCents(left) - toCents(right)) <= PRICE_TOLERANCE_CENTS;
