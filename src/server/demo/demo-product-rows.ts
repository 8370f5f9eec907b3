import type { ItemState } from '../../shared/inventory.ts';
import { effectivePrice } from '../../shared/pricing.ts';
import type { Deps } from '../deps.ts';
import { type DemoPhysicalProduct, type DemoProduct, demoDaysBefore, demoId } from './demo-data.ts';
import { demoKeys } from './demo-keys.ts';

/** A product as past orders know it. */
export interface OrderedProduct {
  type: 'digital' | 'physical';
  id: string;
  name: string;
  image: string;
  /** Integer cents of USD: with the discount, which runs since the product came, and without the flash sale. */
  unitPriceCents: number;
  deliveryInstructions: string;
  warrantyDays: number;
}

export const coverPath = (slug: string): string => `/demo/covers/${slug}.svg`;

export const demoDigitalProduct = (product: DemoProduct): OrderedProduct => ({
  type: 'digital',
  id: demoId('product', product.slug),
  name: product.name,
  image: coverPath(product.slug),
  unitPriceCents: effectivePrice({ ...product, discount: discountOf(product), flashSale: null }, 1, new Date())
    .unitPriceCents,
  deliveryInstructions: product.deliveryInstructions,
  warrantyDays: product.warrantyDays,
});

export const demoPhysicalProduct = ({ slug, name, priceCents }: DemoPhysicalProduct): OrderedProduct => ({
  type: 'physical',
  id: demoId('product', slug),
  name,
  image: coverPath(slug),
  unitPriceCents: priceCents,
  deliveryInstructions: '',
  warrantyDays: 0,
});

function discountOf({ discount }: DemoProduct) {
  const period = { startsAt: null, endsAt: null };
  if (!discount) return null;
  return 'percent' in discount
    ? { type: 'percentage' as const, basisPoints: discount.percent * 100, ...period }
    : { type: 'fixed' as const, amountCents: discount.offCents, ...period };
}

export function productRow(product: DemoProduct, now: Date) {
  const { slug, flashSale } = product;
  const discount = discountOf(product);
  const daysToDiscountEnd = product.discount?.endsInDays;
  return {
    id: demoId('product', slug),
    kind: 'digital' as const,
    delivery: 'unique' as const,
    name: product.name,
    description: product.description,
    category: product.category,
    image: coverPath(slug),
    price_cents: product.priceCents,
    discount_type: discount?.type ?? null,
    discount_basis_points: discount?.type === 'percentage' ? discount.basisPoints : null,
    discount_cents: discount?.type === 'fixed' ? discount.amountCents : null,
    discount_ends_at: daysToDiscountEnd === undefined ? null : demoDaysBefore(now, -daysToDiscountEnd),
    flash_price_cents: flashSale?.priceCents ?? null,
    flash_starts_at: flashSale ? demoDaysBefore(now, -flashSale.startsInHours / 24) : null,
    flash_ends_at: flashSale ? demoDaysBefore(now, -flashSale.endsInHours / 24) : null,
    flash_units_limit: flashSale?.units ?? null,
    featured: product.featured ?? false,
    delivery_instructions: product.deliveryInstructions,
    warranty_days: product.warrantyDays,
    created_at: demoDaysBefore(now, product.createdDaysAgo),
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
  created_at: demoDaysBefore(now, product.createdDaysAgo),
});

/** A unit that a past order delivered. */
export interface SoldUnit {
  orderLineId: string;
  unit: number;
  deliveredAt: Date;
  /** `quarantined` when the money went back. */
  state: ItemState;
}

/** The product's stock, followed by what its past buyers have. */
export function itemRows(cipher: Deps['cipher'], product: DemoProduct, sold: SoldUnit[], now: Date) {
  const productId = demoId('product', product.slug);
  const addedAt = demoDaysBefore(now, product.createdDaysAgo);
  return demoKeys(product.slug, product.keys, product.stock + sold.length).map((content, index) => {
    const id = demoId('item', `${product.slug}/${index + 1}`);
    const unit = sold[index - product.stock];
    const { keyId, nonce, ciphertext } = cipher.encrypt({ itemId: id, productId, content });
    return {
      id,
      product_id: productId,
      state: unit?.state ?? ('available' as const),
      key_id: keyId,
      nonce,
      ciphertext,
      content_hmac: cipher.fingerprint(content),
      order_line_id: unit?.orderLineId ?? null,
      unit: unit?.unit ?? null,
      added_at: addedAt,
      delivered_at: unit?.deliveredAt ?? null,
    };
  });
}
