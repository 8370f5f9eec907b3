import { daysBefore } from '../../shared/durations.ts';
import type { ItemState } from '../../shared/inventory.ts';
import { effectivePrice } from '../../shared/pricing.ts';
import type { Deps } from '../deps.ts';
import { toColumns } from '../platform/crypto/item-cipher.ts';
import type { ProductRow } from '../platform/database/tables.ts';
import { type DemoPhysicalProduct, type DemoProduct, demoId } from './demo-data.ts';
import { demoKeys } from './demo-keys.ts';

/** A product's row as past orders copy it, with the price at which they bought it, in cents of USD. */
export type OrderedProduct = Partial<ProductRow> &
  Pick<ProductRow, 'id' | 'kind' | 'name' | 'image'> & { unitPriceCents: number };

export const coverPath = (slug: string): string => `/demo/covers/${slug}.svg`;

/** With the discount, which has run since the product was created, but without the flash sale. */
export const pastPriceOf = (product: DemoProduct, now: Date): number =>
  effectivePrice({ ...product, discount: discountOf(product), flashSale: null }, 1, now).unitPriceCents;

function discountOf({ discount }: DemoProduct) {
  const period = { startsAt: null, endsAt: null };
  if (!discount) return null;
  return 'percent' in discount
    ? { type: 'percentage' as const, basisPoints: discount.percent * 100, ...period }
    : { type: 'fixed' as const, amountCents: discount.offCents, ...period };
}

export function productRow(product: DemoProduct, now: Date) {
  const { slug, flashSale, delivery } = product;
  const discount = discountOf(product);
  const daysToDiscountEnd = product.discount?.endsInDays;
  return {
    id: demoId('product', slug),
    kind: 'digital' as const,
    delivery: delivery?.kind ?? ('unique' as const),
    stock: delivery ? product.stock : null,
    buyer_fields: delivery?.kind === 'manual' ? delivery.fields : [],
    download_limit: delivery?.kind === 'file' ? delivery.downloads : null,
    download_days: delivery?.kind === 'file' ? delivery.days : null,
    platform: product.platform ?? null,
    region: product.region ?? null,
    name: product.name,
    description: product.description,
    category: product.category,
    image: coverPath(slug),
    price_cents: product.priceCents,
    discount_type: discount?.type ?? null,
    discount_basis_points: discount?.type === 'percentage' ? discount.basisPoints : null,
    discount_cents: discount?.type === 'fixed' ? discount.amountCents : null,
    discount_ends_at: daysToDiscountEnd === undefined ? null : daysBefore(now, -daysToDiscountEnd),
    flash_price_cents: flashSale?.priceCents ?? null,
    flash_starts_at: flashSale ? daysBefore(now, -flashSale.startsInHours / 24) : null,
    flash_ends_at: flashSale ? daysBefore(now, -flashSale.endsInHours / 24) : null,
    flash_units_limit: flashSale?.units ?? null,
    featured: product.featured ?? false,
    delivery_instructions: product.deliveryInstructions,
    warranty_days: product.warrantyDays,
    created_at: daysBefore(now, product.createdDaysAgo),
  };
}

export const physicalProductRow = (product: DemoPhysicalProduct, now: Date) => ({
  id: demoId('product', product.slug),
  kind: 'physical' as const,
  name: product.name,
  description: product.description,
  brand: product.brand,
  category: product.category,
  image: coverPath(product.slug),
  price_cents: product.priceCents,
  stock: product.stock,
  weight_grams: product.weightGrams,
  length_mm: product.sizeMm[0],
  width_mm: product.sizeMm[1],
  height_mm: product.sizeMm[2],
  is_active: !product.inactive,
  created_at: daysBefore(now, product.createdDaysAgo),
});

/** A unit that a past order delivered. */
export interface SoldUnit {
  orderLineId: string;
  unit: number;
  deliveredAt: Date;
  /** `quarantined` when the money went back. */
  state: ItemState;
}

/**
 * Returns the product's stock, followed by the items of its past buyers. A product without items from stock has only
 * the latter.
 */
export function itemRows(cipher: Deps['cipher'], product: DemoProduct, sold: SoldUnit[], now: Date) {
  const { slug, delivery } = product;
  const productId = demoId('product', slug);
  const addedAt = daysBefore(now, product.createdDaysAgo);
  const stock = delivery ? 0 : (product.stock ?? 0);
  return itemContents(product, stock + sold.length).map((content, index) => {
    const id = demoId('item', `${slug}/${index + 1}`);
    const unit = sold[index - stock];
    return {
      id,
      product_id: productId,
      state: unit?.state ?? ('available' as const),
      ...toColumns(cipher.encrypt({ itemId: id, productId, content })),
      content_hmac: delivery ? cipher.fingerprintOfCopy({ itemId: id, content }) : cipher.fingerprint(content),
      order_line_id: unit?.orderLineId ?? null,
      unit: unit?.unit ?? null,
      added_at: delivery && unit ? unit.deliveredAt : addedAt,
      delivered_at: unit?.deliveredAt ?? null,
    };
  });
}

function itemContents({ slug, keys, delivery }: DemoProduct, count: number): string[] {
  if (delivery?.kind === 'shared') return Array.from({ length: count }, () => delivery.content);
  if (delivery?.kind === 'file') return Array.from({ length: count }, () => delivery.name);
  return demoKeys(slug, keys, count);
}
