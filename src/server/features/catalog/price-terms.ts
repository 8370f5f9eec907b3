import type { PriceTerms } from '../../../shared/pricing.ts';
import type { ProductRow } from '../../platform/database/tables.ts';

/** The pricing rule's view of a product's row; money is integer cents of USD. */
export function priceTermsOfRow(row: ProductRow): PriceTerms {
  return { priceCents: row.price_cents, discount: discountOfRow(row), flashSale: flashSaleOfRow(row) };
}

function discountOfRow(row: ProductRow): PriceTerms['discount'] {
  const period = { startsAt: row.discount_starts_at, endsAt: row.discount_ends_at };
  if (row.discount_type === 'percentage') {
    return { type: 'percentage', basisPoints: row.discount_basis_points ?? 0, ...period };
  }
  if (row.discount_type === 'fixed')
    return { type: 'fixed', amountCents: row.discount_cents ?? 0, ...period };
  return null;
}

function flashSaleOfRow(row: ProductRow): PriceTerms['flashSale'] {
  if (row.flash_price_cents === null) return null;
  return {
    priceCents: row.flash_price_cents,
    startsAt: row.flash_starts_at,
    endsAt: row.flash_ends_at,
    unitsLeft: row.flash_units_limit === null ? null : row.flash_units_limit - row.flash_units_taken,
  };
}
