/** The share of the subtotal that is charged as tax (docs/conformance.md). */
const TAX_PERCENT = 6;

/** Client and server totals may differ by this much, in cents of USD, before the price counts as changed. */
const PRICE_TOLERANCE_CENTS = 1;

/** From its start up to, but not including, its end; an absent bound is open. */
type Duration = { startsAt: Date | null; endsAt: Date | null };

export type Discount = Duration &
  ({ type: 'percentage'; basisPoints: number } | { type: 'fixed'; amountCents: number });

/** `unitsLeft` at this price; null means no limit. */
export type FlashSale = Duration & { priceCents: number; unitsLeft: number | null };

/** Everything that decides what one unit costs. Money is integer cents of USD, rates are basis points. */
export type PriceTerms = { priceCents: number; discount: Discount | null; flashSale: FlashSale | null };

type EffectivePrice = { unitPriceCents: number; source: 'regular' | 'discount' | 'flash-sale' };

/** The amounts that lie between an order's items and its total. */
export const ADJUSTMENTS = ['shipping', 'tax'] as const;

/**
 * The amounts of an order. `tax` is `taxCents` in code, `taxPrice` in calls (there in dollars), and `tax_cents` in the
 * database.
 */
export const AMOUNTS = ['items', ...ADJUSTMENTS, 'total'] as const;
type Amount = (typeof AMOUNTS)[number];

/** The sums of an order in cents of USD. */
export type Totals = Record<`${Amount}Cents`, number>;

/** The same in dollars of USD, as calls carry them. */
type Prices = Record<`${Amount}Price`, number>;

/** A field for each amount: with the suffix `Price`, from `itemsPrice` to `totalPrice`. */
export function byAmount<Suffix extends string, Value>(suffix: Suffix, fieldOf: (amount: Amount) => Value) {
  const fields = AMOUNTS.map((amount) => [amount + suffix, fieldOf(amount)]);
  return Object.fromEntries(fields) as Record<`${Amount}${Suffix}`, Value>;
}

export const pricesOf = (totals: Totals): Prices => byAmount('Price', (amount) => toDollars(totals[`${amount}Cents`]));

export const totalsIn = (prices: Prices): Totals => byAmount('Cents', (amount) => toCents(prices[`${amount}Price`]));

const MINIMUM_PRICE_CENTS = 1;

const isRunning = ({ startsAt, endsAt }: Duration, now: Date): boolean =>
  (startsAt === null || startsAt <= now) && (endsAt === null || endsAt > now);

/** `cents` times `numerator / denominator`, in whole cents, halves rounded up; all arguments non-negative integers. */
export const proportionOfCents = (cents: number, numerator: number, denominator: number): number =>
  Math.floor((cents * numerator * 2 + denominator) / (denominator * 2));

function discountedCents(priceCents: number, discount: Discount): number {
  const off =
    discount.type === 'fixed' ? discount.amountCents : proportionOfCents(priceCents, discount.basisPoints, 10_000);
  return Math.max(MINIMUM_PRICE_CENTS, priceCents - off);
}

/**
 * What each of `quantity` units of a line costs, in cents of USD: the flash sale while it runs and has units for all of
 * the line, else the discount while it runs, else the price. All units of a line have one price: a sale with too few
 * units left gives none of them.
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

/** 6 % of a subtotal in cents of USD, half a cent rounded up. */
export const taxOn = (itemsCents: number): number => proportionOfCents(itemsCents, TAX_PERCENT, 100);

/** Digital delivery is free; tax is on the subtotal, not per line. */
export function totalsOf(lines: readonly { unitPriceCents: number; quantity: number }[], shippingCents = 0): Totals {
  const itemsCents = lines.reduce((sum, line) => sum + line.unitPriceCents * line.quantity, 0);
  const taxCents = taxOn(itemsCents);
  return { itemsCents, taxCents, shippingCents, totalCents: itemsCents + taxCents + shippingCents };
}

/** What the total adds to the subtotal, in cents of USD, as every screen and mail lists it. */
export function adjustmentsOf({ shippingCents, taxCents }: Totals) {
  return [
    { label: 'Shipping', cents: shippingCents },
    { label: `Tax (${TAX_PERCENT}%)`, cents: taxCents },
  ].filter(({ label, cents }) => label !== 'Shipping' || cents > 0);
}

/** A line of an order: `refundedQuantity` units were refunded before, `units` are refunded now. */
type RefundedLine = { unitPriceCents: number; quantity: number; refundedQuantity: number; units: number };

/**
 * The refund of some units in cents of USD, with their share of the tax. The share is computed for all refunded units
 * together, less that of those refunded before, so that refunds add up exactly. The last unit's refund is all that is
 * left.
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

export const toDollars = (cents: number): number => cents / 100;

export const toCents = (dollars: number): number => Math.round(dollars * 100);

export const sameTotal = (left: number, right: number): boolean =>
  Math.abs(toCents(left) - toCents(right)) <= PRICE_TOLERANCE_CENTS;
