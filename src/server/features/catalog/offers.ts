import type { Updateable } from 'kysely';
import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import { type PriceTerms, toCents, toDollars } from '../../../shared/pricing.ts';
import { isWithinPrice } from '../../../shared/product-prices.ts';
import type { UpdateDigitalProduct } from '../../../shared/products.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';

type DiscountInput = NonNullable<UpdateDigitalProduct['discount']>;
type FlashSaleInput = NonNullable<UpdateDigitalProduct['flashSale']>;

type PricedRow = Pick<ProductRow, Extract<keyof ProductRow, 'price_cents' | `discount_${string}` | `flash_${string}`>>;

/** Converts a product's row to the terms of the pricing rule, in integer cents of USD. */
export function priceTermsOfRow(row: PricedRow): PriceTerms {
  return { priceCents: row.price_cents, discount: discountOfRow(row), flashSale: flashSaleOfRow(row) };
}

function discountOfRow(row: PricedRow): PriceTerms['discount'] {
  const period = { startsAt: row.discount_starts_at, endsAt: row.discount_ends_at };
  if (row.discount_type === 'percentage') {
    return { type: 'percentage', basisPoints: row.discount_basis_points ?? 0, ...period };
  }
  if (row.discount_type === 'fixed') return { type: 'fixed', amountCents: row.discount_cents ?? 0, ...period };
  return null;
}

function flashSaleOfRow(row: PricedRow): PriceTerms['flashSale'] {
  if (row.flash_price_cents === null) return null;
  return {
    priceCents: row.flash_price_cents,
    startsAt: row.flash_starts_at,
    endsAt: row.flash_ends_at,
    unitsLeft: row.flash_units_limit === null ? null : row.flash_units_limit - row.flash_units_taken,
  };
}

const moment = (timestamp: string | null | undefined) => (timestamp ? new Date(timestamp) : null);

/** Converts per cent to basis points, and dollars to cents. Null, or the type `none`, ends a discount. */
export function discountColumns(discount: DiscountInput | null) {
  const { type, value, startDate, endDate } = discount ?? { type: 'none', value: 0 };
  const isNone = type === 'none';
  return {
    discount_type: isNone ? null : type,
    discount_basis_points: type === 'percentage' ? toCents(value) : null,
    discount_cents: type === 'fixed' ? toCents(value) : null,
    discount_starts_at: isNone ? null : moment(startDate),
    discount_ends_at: isNone ? null : moment(endDate),
  };
}

/**
 * Converts dollars to cents. A changed price, start or end makes a new sale, whose counter starts at zero. Otherwise
 * the taken units still count, also against a new limit. Throws VALIDATION_FAILED for an end that is not after the
 * start, and for a limit below the units taken.
 */
export function flashSaleColumns(row: ProductRow, sale: FlashSaleInput | null, now: Date) {
  if (sale === null || sale.active === false) {
    const ended = { flash_price_cents: null, flash_starts_at: null, flash_ends_at: null };
    return { ...ended, flash_units_limit: null, flash_units_taken: 0 };
  }
  const terms = {
    flash_price_cents: toCents(sale.price),
    flash_starts_at: sale.startDate ? new Date(sale.startDate) : defaultStart(row, now),
    flash_ends_at: moment(sale.endDate),
  };
  const { flash_starts_at: startsAt, flash_ends_at: endsAt } = terms;
  if (startsAt && endsAt && endsAt <= startsAt) {
    throw new AppError('VALIDATION_FAILED', 'The flash sale must end after it starts', 'flashSale.endDate');
  }
  const taken = isSameSale(row, terms) ? row.flash_units_taken : 0;
  const limit = sale.limitedStock ?? null;
  if (limit !== null && limit < taken) {
    const units = taken === 1 ? '1 unit was' : `${taken} units were`;
    const message = `${units} sold at this price already, so the limit cannot be lower`;
    throw new AppError('VALIDATION_FAILED', message, 'flashSale.limitedStock');
  }
  return { ...terms, flash_units_limit: limit, flash_units_taken: taken };
}

/** Returns the start if none is given: now, or the start of a running sale, which must stay the same sale. */
function defaultStart(row: ProductRow, now: Date): Date | null {
  const hasStarted = row.flash_starts_at === null || row.flash_starts_at <= now;
  return row.flash_price_cents !== null && hasStarted ? row.flash_starts_at : now;
}

const isSameSale = (
  row: ProductRow,
  terms: Pick<ProductRow, 'flash_price_cents' | 'flash_starts_at' | 'flash_ends_at'>,
) =>
  row.flash_price_cents === terms.flash_price_cents &&
  row.flash_starts_at?.getTime() === terms.flash_starts_at?.getTime() &&
  row.flash_ends_at?.getTime() === terms.flash_ends_at?.getTime();

/** Compares prices also with the stored ones that the call does not change. Throws VALIDATION_FAILED. */
export function assertOffersWithinPrice(
  row: ProductRow,
  { price, discount, flashSale }: Pick<UpdateDigitalProduct, 'price' | 'discount' | 'flashSale'>,
): void {
  const { price_cents: current, flash_price_cents: flash, discount_cents: off } = row;
  const newPrice = price ?? toDollars(current);
  const refuseAt = (field: string, message: string) => {
    throw new AppError('VALIDATION_FAILED', message, field);
  };
  if (!isWithinPrice(newPrice, { flashSale }))
    refuseAt('flashSale.price', `must not be above the regular price of ${formatPrice(current)}`);
  if (!isWithinPrice(newPrice, { discount }))
    refuseAt('discount.value', `must not be more than the regular price of ${formatPrice(current)}`);
  const keptSale = flashSale === undefined && flash !== null && { price: toDollars(flash) };
  if (keptSale && !isWithinPrice(price, { flashSale: keptSale }))
    refuseAt('price', `must not be below the flash sale's ${formatPrice(flash)}: end the flash sale first`);
  const keptDiscount = discount === undefined && off !== null && { type: 'fixed' as const, value: toDollars(off) };
  if (keptDiscount && !isWithinPrice(price, { discount: keptDiscount }))
    refuseAt('price', `must not be below the discount of ${formatPrice(off)}: end the discount first`);
}

type OfferColumns = Pick<
  Updateable<Tables['products']>,
  'discount_basis_points' | 'discount_cents' | 'flash_price_cents'
>;

const priceOrNone = (cents: number | null | undefined) => (cents ? formatPrice(cents) : 'none');

const amounts = {
  discount: ({ discount_basis_points: basisPoints, discount_cents: cents }: OfferColumns) =>
    basisPoints ? `${basisPoints / 100}%` : priceOrNone(cents),
  'flash sale': ({ flash_price_cents: cents }: OfferColumns) => priceOrNone(cents),
};

/** Describes the change of an offer for the audit log, as in `discount none to 25%`. A change of its dates has only its name. */
export function describeOffer(offer: keyof typeof amounts, row: ProductRow, changes: OfferColumns): string {
  const [before, after] = [amounts[offer](row), amounts[offer]({ ...row, ...changes })];
  return before === after ? offer : `${offer} ${before} to ${after}`;
}
