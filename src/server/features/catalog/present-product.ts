import { maxPerGuest } from '../../../shared/cart-rules.ts';
import type { Category, DigitalProduct } from '../../../shared/catalog.ts';
import { effectivePrice, toDollars } from '../../../shared/pricing.ts';
import type { Config } from '../../config.ts';
import type { ProductRow } from '../../platform/database/tables.ts';
import type { ProductWithStock } from './catalog.queries.ts';
import { priceTermsOfRow } from './price-terms.ts';

const iso = (moment: Date | null) => moment?.toISOString() ?? null;

/** A product as shoppers may see it, priced for one unit at `now`. */
export function presentProduct(
  row: ProductWithStock,
  now: Date,
  { rateLimits }: Pick<Config, 'rateLimits'>,
): DigitalProduct {
  const price = effectivePrice(priceTermsOfRow(row), 1, now);
  return {
    _id: row.id,
    name: row.name,
    description: row.description,
    category: row.category as Category,
    image: row.image,
    price: toDollars(row.price_cents),
    effectivePrice: toDollars(price.unitPriceCents),
    discount: presentDiscount(row),
    flashSale: presentFlashSale(row, price.source === 'flash-sale'),
    stock: row.stock,
    reserved: row.stock === 0 && row.held > 0,
    maxPerGuest: rateLimits ? maxPerGuest(row.stock + row.held) : null,
    featured: row.featured,
    isActive: row.is_active,
    deliveryInstructions: row.delivery_instructions,
    warranty: row.warranty_days,
    createdAt: row.created_at.toISOString(),
  };
}

function presentDiscount(row: ProductRow): DigitalProduct['discount'] {
  if (row.discount_type === null) return null;
  const hundredths = row.discount_type === 'percentage' ? row.discount_basis_points : row.discount_cents;
  return {
    type: row.discount_type,
    value: (hundredths ?? 0) / 100,
    startDate: iso(row.discount_starts_at),
    endDate: iso(row.discount_ends_at),
  };
}

function presentFlashSale(row: ProductRow, active: boolean): DigitalProduct['flashSale'] {
  const { flashSale } = priceTermsOfRow(row);
  if (flashSale === null) return null;
  return {
    active,
    price: toDollars(flashSale.priceCents),
    startDate: iso(flashSale.startsAt),
    endDate: iso(flashSale.endsAt),
    limitedStock: row.flash_units_limit,
    unitsLeft: flashSale.unitsLeft,
  };
}
