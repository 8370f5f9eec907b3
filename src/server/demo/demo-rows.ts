import type { Insertable } from 'kysely';
import { effectivePrice, totalsOf } from '../../shared/pricing.ts';
import type { Deps } from '../deps.ts';
import { priceTermsOfRow } from '../features/catalog/price-terms.ts';
import type { NewProduct, ProductRow, Tables } from '../platform/database/tables.ts';
import { demoId } from './demo-ids.ts';
import { demoKeys } from './demo-keys.ts';
import type { DemoOrder } from './demo-orders.ts';
import type { DemoProduct } from './products/demo-product.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
const HOLD_MS = 15 * 60 * SECOND_MS;
const PAYING_MS = 48 * SECOND_MS;

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);
const hoursAfter = (now: Date, hours: number) => new Date(now.getTime() + hours * HOUR_MS);

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

/** A unit that a past order delivered. */
export interface SoldUnit {
  orderLineId: string;
  unit: number;
  deliveredAt: Date;
}

/** The product's stock, followed by what its past buyers have. */
export function itemRows(
  cipher: Deps['cipher'],
  { product, row, sold }: { product: DemoProduct; row: ProductRow; sold: SoldUnit[] },
): Insertable<Tables['items']>[] {
  return demoKeys(product.slug, product.keys, product.stock + sold.length).map((content, index) => {
    const id = demoId('item', `${product.slug}/${index + 1}`);
    const delivered = sold[index - product.stock];
    const { keyId, nonce, ciphertext } = cipher.encrypt({ itemId: id, productId: row.id, content });
    return {
      id,
      product_id: row.id,
      state: delivered ? 'sold' : 'available',
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

export interface Buyer {
  id: string;
  name: string;
  email: string;
}

export interface OrderRows {
  order: Insertable<Tables['orders']> & { fulfilled_at: Date };
  lines: Insertable<Tables['order_lines']>[];
}

/** A delivered order at the prices of its day. */
export function orderRows(
  demoOrder: DemoOrder,
  { buyer, productOf, now }: { buyer: Buyer; productOf: (slug: string) => ProductRow; now: Date },
): OrderRows {
  const orderId = demoId('order', demoOrder.name);
  const orderedAt = daysBefore(now, demoOrder.daysAgo);
  const paidAt = new Date(orderedAt.getTime() + PAYING_MS);
  const lines = demoOrder.lines.map(({ slug, quantity }, index) => {
    const product = productOf(slug);
    return {
      id: demoId('order-line', `${demoOrder.name}/${index + 1}`),
      order_id: orderId,
      position: index + 1,
      product_id: product.id,
      name: product.name,
      image: product.image,
      quantity,
      unit_price_cents: effectivePrice(priceTermsOfRow(product), quantity, orderedAt).unitPriceCents,
      delivery_instructions: product.delivery_instructions,
      warranty_days: product.warranty_days,
    };
  });
  const totals = totalsOf(
    lines.map(({ unit_price_cents, quantity }) => ({ unitPriceCents: unit_price_cents, quantity })),
  );
  const order: OrderRows['order'] = {
    id: orderId,
    type: 'digital',
    state: 'fulfilled',
    user_id: buyer.id,
    contact_email: buyer.email,
    guest: demoOrder.guest,
    guest_name: demoOrder.guest ? buyer.name : '',
    made_account: demoOrder.guest,
    items_cents: totals.itemsCents,
    tax_cents: totals.taxCents,
    shipping_cents: totals.shippingCents,
    total_cents: totals.totalCents,
    payment_intent_id: `pi_demo_${demoOrder.name.replaceAll('-', '_')}`,
    created_at: orderedAt,
    hold_expires_at: new Date(orderedAt.getTime() + HOLD_MS),
    paid_at: paidAt,
    fulfilled_at: paidAt,
  };
  return { order, lines };
}

/** What the orders delivered, by product id. */
export function soldUnits(orders: readonly OrderRows[]): Map<string, SoldUnit[]> {
  const sold = new Map<string, SoldUnit[]>();
  for (const { order, lines } of orders) {
    for (const line of lines) {
      const units = Array.from({ length: line.quantity }, (_, index) => ({
        orderLineId: line.id,
        unit: index + 1,
        deliveredAt: order.fulfilled_at,
      }));
      sold.set(line.product_id, [...(sold.get(line.product_id) ?? []), ...units]);
    }
  }
  return sold;
}
