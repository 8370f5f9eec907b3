import type { Insertable } from 'kysely';
import type { ItemState } from '../../shared/inventory.ts';
import type { Deps } from '../deps.ts';
import type { NewProduct, ProductRow, Tables } from '../platform/database/tables.ts';
import { daysBefore } from './demo-days.ts';
import { demoId } from './demo-ids.ts';
import { demoKeys } from './demo-keys.ts';
import type { DemoPhysicalProduct, DemoProduct } from './products/demo-product.ts';

const hoursAfter = (now: Date, hours: number) => daysBefore(now, -hours / 24);

export const coverAddress = (slug: string): string => `/demo/covers/${slug}.svg`;

export function productRow(product: DemoProduct, now: Date): NewProduct {
  const { slug, discount, flashSale } = product;
  return {
    id: demoId('product', slug),
    name: product.name,
    description: product.description,
    category: product.category,
    image: coverAddress(slug),
    price_cents: product.priceCents,
    discount_type: discount ? ('percent' in discount ? 'percentage' : 'fixed') : null,
    discount_basis_points: discount && 'percent' in discount ? discount.percent * 100 : null,
    discount_cents: discount && 'offCents' in discount ? discount.offCents : null,
    discount_starts_at: null,
    discount_ends_at: discount?.endsInDays === undefined ? null : daysBefore(now, -discount.endsInDays),
    flash_price_cents: flashSale?.priceCents ?? null,
    flash_starts_at: flashSale ? hoursAfter(now, flashSale.startsInHours) : null,
    flash_ends_at: flashSale ? hoursAfter(now, flashSale.endsInHours) : null,
    flash_units_limit: flashSale?.units ?? null,
    featured: product.featured ?? false,
    delivery_instructions: product.deliveryInstructions,
    warranty_days: product.warrantyDays,
    created_at: daysBefore(now, product.createdDaysAgo),
  };
}

export function physicalProductRow(
  product: DemoPhysicalProduct,
  now: Date,
): Insertable<Tables['physical_products']> {
  return {
    id: demoId('product', product.slug),
    name: product.name,
    description: product.description,
    brand: product.brand,
    category: product.category,
    image: coverAddress(product.slug),
    price_cents: product.priceCents,
    stock: product.stock,
    rating_tenths: product.ratingTenths,
    review_count: product.reviewCount,
    is_active: !product.inactive,
    created_at: daysBefore(now, product.createdDaysAgo),
  };
}

/** A unit that a past order delivered. */
export interface SoldUnit {
  orderLineId: string;
  unit: number;
  deliveredAt: Date;
  /** `quarantined` when the money went back. */
  state: ItemState;
}

/** The product's stock, followed by what its past buyers have. */
export function itemRows(
  cipher: Deps['cipher'],
  { product, row, sold }: { product: DemoProduct; row: ProductRow; sold: SoldUnit[] },
) {
  return demoKeys(product.slug, product.keys, product.stock + sold.length).map((content, index) => {
    const id = demoId('item', `${product.slug}/${index + 1}`);
    const delivered = sold[index - product.stock];
    const { keyId, nonce, ciphertext } = cipher.encrypt({ itemId: id, productId: row.id, content });
    return {
      id,
      product_id: row.id,
      state: delivered?.state ?? ('available' as const),
      key_id: keyId,
      nonce,
      ciphertext,
      content_hmac: cipher.fingerprint(content),
      order_line_id: delivered?.orderLineId ?? null,
      unit: delivered?.unit ?? null,
      added_at: row.created_at,
      delivered_at: delivered?.deliveredAt ?? null,
    };
  });
}
