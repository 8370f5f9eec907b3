import type { AdminOrder } from '../../../shared/admin-orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import { presentOrder } from '../orders/present-order.ts';
import type { DeskOrder } from './order-list.queries.ts';

/** An order as administrators see it: with whoever bought it. */
export function presentDeskOrder(order: DeskOrder): AdminOrder {
  return {
    ...presentOrder(order),
    guestName: order.guest ? order.guest_name : '',
    guestEmail: order.guest ? order.contact_email : '',
    user:
      order.user_id === null
        ? null
        : { _id: order.user_id, name: order.user_name ?? '', email: order.user_email ?? '' },
    state: order.state,
    refundedPrice: toDollars(order.refunded_cents),
  };
}
