import { AppError } from '../../../shared/errors.ts';
import { sameTotal, toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { findOrderByIntent, type OrderWithLines } from '../orders/orders.queries.ts';
import { type CartLine, sameLines } from './cart-lines.ts';
import { settleOrder } from './settle-order.ts';

export interface PlaceOrder {
  paymentIntentId: string;
  /** Null for a guest. */
  userId: string | null;
  /** What the buyer says they bought, from whom, for how many dollars: checked against the order, never used. */
  cart: CartLine[];
  guestEmail: string | undefined;
  totalPrice: number;
}

/**
 * The browser's word that its card was confirmed. An intent that is not this buyer's is answered like one that was
 * never paid; an order other than the one that was quoted is refused before any money moves.
 */
export async function placeOrder(deps: Deps, input: PlaceOrder): Promise<OrderWithLines> {
  const order = await findOrderByIntent(deps.db, input.paymentIntentId);
  if (!order || !belongsTo(order, input.userId)) {
    throw new AppError('PAYMENT_NOT_CONFIRMED', 'Payment failed. Please try again.');
  }
  const otherBuyer = input.guestEmail !== undefined && input.guestEmail !== order.contact_email;
  if (otherBuyer || !sameLines(input.cart, order.lines)) {
    throw new AppError('ORDER_MISMATCH', 'This payment was made for another order');
  }
  if (!sameTotal(input.totalPrice, toDollars(order.total_cents))) {
    throw new AppError('PRICE_CHANGED', 'Price verification failed. Please refresh and try again.');
  }
  return { ...(await settleOrder(deps, order.id, order)), lines: order.lines };
}

function belongsTo(order: OrderRow, userId: string | null): boolean {
  return userId === null ? order.guest : order.user_id === userId;
}
