import type { Card, Refund, RefundStatus } from '../../../shared/orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { OrderLineRow, OrderRow, RefundRow } from '../../platform/database/tables.ts';
import type { OrderRefund } from './order-refunds.queries.ts';

/** A refund as its buyer may see it: one that the provider refused is still on its way, since it is tried again. */
export function presentRefund(
  refund: OrderRefund,
  lines: readonly Pick<OrderLineRow, 'id' | 'name'>[],
): Refund {
  const { cents, state, created_at: begunAt, finished_at: doneAt, units } = refund;
  return {
    amount: toDollars(cents),
    state: state === 'done' ? 'done' : 'pending',
    at: (doneAt ?? begunAt).toISOString(),
    card: cardOf(refund),
    items: lines.flatMap(({ id, name }) => {
      const quantity = units.find((unit) => unit.order_line_id === id)?.quantity;
      return quantity === undefined ? [] : [{ name, quantity }];
    }),
  };
}

export const cardOf = ({
  card_brand: brand,
  card_last4: last4,
}: Pick<RefundRow, 'card_brand' | 'card_last4'>): Card | null =>
  brand !== null && last4 !== null ? { brand, last4 } : null;

export function refundStatusOf(order: OrderRow & { refunds: readonly OrderRefund[] }): RefundStatus {
  if (order.state === 'refunded') return 'Refunded';
  if (order.refunds.some(({ state }) => state !== 'done')) return 'Refund pending';
  return order.refunded_cents > 0 ? 'Partly refunded' : null;
}

/** Whether all of it was given back, or is on its way: none of its items is the buyer's any more. */
export const isWhollyRefunded = ({ state }: OrderRow): boolean =>
  state === 'refunding' || state === 'refunded';
