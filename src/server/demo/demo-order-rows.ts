import type { OrderLineRow, OrderRow, RefundRow } from '../platform/database/tables.ts';
import type { PastPayment } from '../platform/payments/test-mode/past-payments.queries.ts';
import { daysBefore } from './demo-days.ts';
import type { Goods } from './demo-goods.ts';
import { demoId } from './demo-ids.ts';
import type { DemoOrder } from './demo-orders.ts';
import type { SoldUnit } from './demo-rows.ts';
import { totalsOfOrder } from './demo-trade.ts';

const MINUTE = 1 / (24 * 60);
const HOLD_DAYS = 15 * MINUTE;
const PAYING_DAYS = 0.8 * MINUTE;
const REFUNDED_AFTER_DAYS = 1.3;
const REFUND_REASON = 'Bought by mistake';
const SHIPPED_AFTER_DAYS = 1.4;
const DELIVERED_AFTER_DAYS = 5.6;

export interface OrderRows {
  order: Partial<OrderRow> & Pick<OrderRow, 'id' | 'contact_email' | 'created_at'>;
  lines: (Partial<OrderLineRow> & Pick<OrderLineRow, 'id' | 'quantity'>)[];
  /** What the provider knows of it. */
  payment: PastPayment;
  refunds: Partial<RefundRow>[];
}

/** An order at the prices of its day, and as far on its way as its age allows. */
export function orderRows(demoOrder: DemoOrder, find: (slug: string) => Goods, now: Date): OrderRows {
  const { name, buyer, daysAgo, guest, type, outcome } = demoOrder;
  const orderId = demoId('order', name);
  const totals = totalsOfOrder(demoOrder, find);
  const intentId = `pi_demo_${name.replaceAll('-', '_')}`;
  const at = (days: number) => daysBefore(now, daysAgo - days);
  const ifPast = (days: number) => (days <= daysAgo ? at(days) : null);
  const paid = outcome === 'kept' || outcome === 'refunded';
  const refundedAt = outcome === 'refunded' ? at(REFUNDED_AFTER_DAYS) : null;
  const cancelledAt = paid ? null : at(HOLD_DAYS);

  const posting = (address: NonNullable<DemoOrder['buyer']['address']>) => ({
    shipping_street: address.street,
    shipping_city: address.city,
    shipping_state: address.state,
    shipping_zip_code: address.zipCode,
    shipping_country: address.country,
    shipped_at: ifPast(SHIPPED_AFTER_DAYS),
    delivered_at: ifPast(DELIVERED_AFTER_DAYS),
  });
  const order: OrderRows['order'] = {
    id: orderId,
    type,
    state: paid ? (refundedAt ? 'refunded' : 'fulfilled') : 'cancelled',
    user_id: demoId('user', buyer.email),
    contact_email: buyer.email,
    guest,
    guest_name: guest ? buyer.name : '',
    made_account: guest,
    items_cents: totals.itemsCents,
    tax_cents: totals.taxCents,
    shipping_cents: totals.shippingCents,
    total_cents: totals.totalCents,
    payment_intent_id: intentId,
    refund_reason: refundedAt && REFUND_REASON,
    cancel_reason: outcome === 'abandoned' || outcome === 'payment-failed' ? outcome : null,
    created_at: at(0),
    hold_expires_at: at(HOLD_DAYS),
    paid_at: paid ? at(PAYING_DAYS) : null,
    fulfilled_at: paid ? at(PAYING_DAYS) : null,
    cancelled_at: cancelledAt,
    refunded_at: refundedAt,
    refunded_cents: refundedAt ? totals.totalCents : 0,
    ...(type === 'physical' && buyer.address && posting(buyer.address)),
  };
  const lines = demoOrder.lines.map(({ slug, quantity }, index) => {
    const { row, unitPriceCents } = find(slug);
    return {
      id: demoId('order-line', `${name}/${index + 1}`),
      order_id: orderId,
      position: index + 1,
      [type === 'physical' ? 'physical_product_id' : 'product_id']: row.id,
      name: row.name,
      image: row.image,
      quantity,
      unit_price_cents: unitPriceCents,
      delivery_instructions: row.delivery_instructions ?? '',
      warranty_days: row.warranty_days ?? 0,
    };
  });
  const payment = {
    intentId,
    orderId,
    amountCents: totals.totalCents,
    receiptEmail: buyer.email,
    createdAt: at(0),
    refundedAt,
    cancelledAt,
  };
  const refunds = refundedAt
    ? [
        {
          id: demoId('refund', name),
          order_id: orderId,
          cents: totals.totalCents,
          reason: REFUND_REASON,
          state: 'done' as const,
          created_at: refundedAt,
          finished_at: refundedAt,
          // As the test-mode provider has it (past-payments.queries.ts).
          card_brand: 'visa',
          card_last4: '4242',
        },
      ]
    : [];
  return { order, lines, payment, refunds };
}

/** What digital orders delivered, by product id; all of it was withdrawn where the money went back. */
export function soldUnits(orders: readonly OrderRows[]): Map<string, SoldUnit[]> {
  const sold = new Map<string, SoldUnit[]>();
  for (const { order, lines } of orders) {
    const deliveredAt = order.fulfilled_at;
    if (!deliveredAt) continue;
    const state = order.state === 'refunded' ? 'quarantined' : 'sold';
    for (const { id, product_id: productId, quantity } of lines) {
      if (!productId) continue;
      const units = sold.get(productId) ?? [];
      for (let unit = 1; unit <= quantity; unit += 1)
        units.push({ orderLineId: id, unit, deliveredAt, state });
      sold.set(productId, units);
    }
  }
  return sold;
}
