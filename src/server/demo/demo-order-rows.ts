import type { Insertable } from 'kysely';
import { DEFAULT_COUNTRY } from '../../shared/accounts.ts';
import { daysBefore } from '../../shared/durations.ts';
import { totalsOf } from '../../shared/pricing.ts';
import { columnsOfTotals } from '../features/orders/orders.queries.ts';
import type { OrderLineRow, OrderRow, ParcelRow, RefundRow, Tables } from '../platform/database/tables.ts';
import type { PastPayment } from './demo.queries.ts';
import { type DemoCustomer, type DemoOrder, demoId } from './demo-data.ts';
import type { OrderedProduct, SoldUnit } from './demo-product-rows.ts';

/** The shipping price of a parcel of any size. */
const PARCEL_CENTS = 590;
const MINUTE = 1 / (24 * 60);
const PAID_AFTER_DAYS = 0.8 * MINUTE;
const HOLD_DAYS = 15 * MINUTE;
const REFUNDED_AFTER_DAYS = 1.3;
const SHIPPED_AFTER_DAYS = 1.4;
const DELIVERED_AFTER_DAYS = 5.6;
const DELIVERED_BY_HAND_AFTER_DAYS = 0.1;
const REFUND_REASON = 'Bought by mistake';

export interface OrderRows {
  order: Partial<OrderRow> & Pick<OrderRow, 'id' | 'contact_email' | 'created_at'>;
  lines: (Partial<OrderLineRow> & Pick<OrderLineRow, 'id' | 'quantity'>)[];
  /** The order's payment at the provider. */
  payment: PastPayment;
  refunds: Partial<RefundRow>[];
  /** The parcel of an order of physical products, once shipped. */
  parcels: ParcelRow[];
  parcelLines: Insertable<Tables['parcel_lines']>[];
  stockChanges: Insertable<Tables['stock_changes']>[];
}

/**
 * Builds an order at the prices of its day. Whether physical products are shipped and delivered depends on the order's
 * age alone.
 */
export function orderRows(
  { name, daysAgo, guest, outcome, lines, waiting }: DemoOrder,
  buyer: DemoCustomer,
  productOf: (slug: string) => OrderedProduct,
  now: Date,
): OrderRows {
  const ordered = Object.entries(lines).map(([slug, quantity]) => ({ ...productOf(slug), quantity }));
  const isPhysical = ordered[0]?.kind === 'physical';
  const byHand = ordered.filter(({ delivery }) => delivery === 'manual');
  const totals = totalsOf(ordered, isPhysical ? PARCEL_CENTS : 0);

  const orderId = demoId('order', name);
  const intentId = `pi_demo_${name.replaceAll('-', '_')}`;
  const at = (days: number) => daysBefore(now, daysAgo - days);
  const ifPast = (days: number) => (days <= daysAgo ? at(days) : null);
  const cancelReason = outcome === 'refunded' ? undefined : outcome;
  const paidAt = cancelReason ? null : at(PAID_AFTER_DAYS);
  const cancelledAt = cancelReason ? at(HOLD_DAYS) : null;
  const refundedAt = outcome === 'refunded' ? at(REFUNDED_AFTER_DAYS) : null;
  const shippedAt = isPhysical ? ifPast(SHIPPED_AFTER_DAYS) : null;
  const lineId = (index: number) => demoId('order-line', `${name}/${index + 1}`);
  const parcelId = demoId('parcel', name);

  return {
    order: {
      id: orderId,
      type: isPhysical ? 'physical' : 'digital',
      state: cancelledAt ? 'cancelled' : refundedAt ? 'refunded' : 'fulfilled',
      user_id: demoId('user', buyer.email),
      contact_email: buyer.email,
      guest: guest ?? false,
      guest_name: guest ? buyer.name : '',
      made_account: guest ?? false,
      ...columnsOfTotals(totals),
      payment_intent_id: intentId,
      refund_reason: refundedAt && REFUND_REASON,
      cancel_reason: cancelReason ?? null,
      created_at: at(0),
      hold_expires_at: at(HOLD_DAYS),
      paid_at: paidAt,
      fulfilled_at: paidAt,
      cancelled_at: cancelledAt,
      refunded_at: refundedAt,
      refunded_cents: refundedAt ? totals.totalCents : 0,
      waiting_units: waiting ? byHand.reduce((units, { quantity }) => units + quantity, 0) : 0,
      ...(isPhysical &&
        buyer.address && {
          shipping_street: buyer.address.street,
          shipping_city: buyer.address.city,
          shipping_state: buyer.address.state,
          shipping_zip_code: buyer.address.zipCode,
          shipping_country: DEFAULT_COUNTRY,
          shipped_at: shippedAt,
          delivered_at: ifPast(DELIVERED_AFTER_DAYS),
        }),
    },
    lines: ordered.map((line, index) => ({
      id: lineId(index),
      order_id: orderId,
      position: index + 1,
      product_id: line.id,
      name: line.name,
      image: line.image,
      quantity: line.quantity,
      unit_price_cents: line.unitPriceCents,
      delivery_instructions: line.delivery_instructions ?? '',
      warranty_days: line.warranty_days ?? 0,
      delivery: line.delivery ?? null,
      download_limit: line.download_limit ?? null,
      download_days: line.download_days ?? null,
      platform: line.platform ?? null,
      region: line.region ?? null,
      counted_state: isCounted(line) ? (cancelledAt ? ('released' as const) : ('sold' as const)) : null,
      counted_units: !isCounted(line) || cancelledAt || refundedAt ? 0 : line.quantity,
    })),
    parcels: shippedAt
      ? [
          {
            ...{ id: parcelId, order_id: orderId, number: 1, carrier: 'Pos Laju' },
            tracking_number: `DEMO-${parcelId.slice(-8).toUpperCase()}`,
            shipped_at: shippedAt,
            delivered_at: ifPast(DELIVERED_AFTER_DAYS),
          },
        ]
      : [],
    parcelLines: ordered.flatMap(({ quantity }, index) =>
      shippedAt ? [{ parcel_id: parcelId, order_line_id: lineId(index), quantity }] : [],
    ),
    stockChanges: cancelledAt
      ? []
      : ordered.flatMap(({ id: product_id, quantity, stock }, index) => {
          // Only the units of a product with a stock are entered in the ledger.
          if (stock === null) return [];
          const change = { product_id, order_line_id: lineId(index) };
          const held = { ...change, units: -quantity, reason: 'held' as const, at: at(0) };
          const isBack = refundedAt && !shippedAt;
          return isBack ? [held, { ...change, units: quantity, reason: 'returned' as const, at: refundedAt }] : [held];
        }),
    payment: {
      intentId,
      orderId,
      amountCents: totals.totalCents,
      receiptEmail: buyer.email,
      createdAt: at(0),
      refundedAt,
      cancelledAt,
    },
    refunds: refundedAt
      ? [
          {
            id: demoId('refund', name),
            order_id: orderId,
            cents: totals.totalCents,
            reason: REFUND_REASON,
            state: 'done',
            created_at: refundedAt,
            finished_at: refundedAt,
            // The card that the test-mode provider has for this payment (demo.queries.ts).
            card_brand: 'visa',
            card_last4: '4242',
          },
        ]
      : [],
  };
}

/** Returns the id of a product's line in an order. */
export const lineIdOf = ({ name, lines }: DemoOrder, slug: string): string =>
  demoId('order-line', `${name}/${Object.keys(lines).indexOf(slug) + 1}`);

const isCounted = ({ delivery }: Pick<OrderedProduct, 'delivery'>) => delivery !== 'unique';

/** Returns the delivered units by product id. Those of a refunded order are withdrawn. */
export function soldUnits(orders: readonly OrderRows[]): Map<string, SoldUnit[]> {
  const sold = new Map<string, SoldUnit[]>();
  for (const { order, lines } of orders) {
    const paidAt = order.fulfilled_at;
    if (!paidAt) continue;
    const state = order.state === 'refunded' ? 'quarantined' : 'sold';
    for (const { id, product_id: productId, quantity, delivery } of lines) {
      const isManual = delivery === 'manual';
      if (!productId || (isManual && order.waiting_units)) continue;
      const deliveredAt = isManual ? daysBefore(paidAt, -DELIVERED_BY_HAND_AFTER_DAYS) : paidAt;
      const units = sold.get(productId) ?? [];
      for (let unit = 1; unit <= quantity; unit += 1) units.push({ orderLineId: id, unit, deliveredAt, state });
      sold.set(productId, units);
    }
  }
  return sold;
}
