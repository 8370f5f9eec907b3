import { effectivePrice } from '../../shared/pricing.ts';
import { priceTermsOfRow } from '../features/catalog/price-terms.ts';
import type { PhysicalProductRow, ProductRow } from '../platform/database/tables.ts';
import type { DemoPhysicalProduct, DemoProduct } from './products/demo-product.ts';

/** A product of either kind as past orders know it. */
export interface Goods {
  slug: string;
  type: 'digital' | 'physical';
  row: Pick<ProductRow, 'id' | 'name' | 'image'> &
    Partial<Pick<ProductRow, 'delivery_instructions' | 'warranty_days'>>;
  /** What one unit cost in all of the past, in cents: discounts have run since the product came. */
  unitPriceCents: number;
  createdDaysAgo: number;
  /** For how many days a flash sale has changed the price. */
  flashDays: number;
}

export function digitalGoods({ slug, createdDaysAgo, flashSale }: DemoProduct, row: ProductRow): Goods {
  const terms = { ...priceTermsOfRow(row), flashSale: null };
  return {
    slug,
    type: 'digital',
    row,
    unitPriceCents: effectivePrice(terms, 1, row.created_at).unitPriceCents,
    createdDaysAgo,
    flashDays: Math.max(0, -(flashSale?.startsInHours ?? 0) / 24),
  };
}

export const physicalGoods = (
  { slug, createdDaysAgo, priceCents }: DemoPhysicalProduct,
  row: PhysicalProductRow,
): Goods => ({ slug, type: 'physical', row, unitPriceCents: priceCents, createdDaysAgo, flashDays: 0 });

export function goodsFinder(goods: readonly Goods[]): (slug: string) => Goods {
  const bySlug = new Map(goods.map((one) => [one.slug, one]));
  return (slug) => {
    const found = bySlug.get(slug);
    if (!found) throw new Error(`There is no demo product "${slug}"`);
    return found;
  };
}
