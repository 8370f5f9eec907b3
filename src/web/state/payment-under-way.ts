import { useEffect } from 'react';
import type { PaymentStatus } from '../../shared/checkout.ts';
import { guestCart, type SavedLine, type TrackedPayment, trackedPayment } from '../lib/cart-storage.ts';
import { useStored } from '../lib/storage.ts';
import { type PurchasedUnits, quantitiesById } from './cart-actions.ts';
import { withSeenPrice } from './cart-lines.ts';

/** Called before the card is confirmed: from then on every page and tab of this browser tracks the payment. */
export function beginPayment(orderId: string): void {
  trackedPayment.write({ orderId, phase: 'confirming', path: '/checkout', taken: null });
}

/** Called when the payment was authorised. Removes its units from the cart once, even if several tabs call this. */
export function markPaid(
  orderId: string,
  purchased: readonly PurchasedUnits[],
  next: Partial<Pick<TrackedPayment, 'phase' | 'path'>> = {},
): void {
  const last = trackedPayment.read();
  const tracked = last?.orderId === orderId ? last : undefined;
  const phase = next.phase ?? (tracked && tracked.phase !== 'confirming' ? tracked.phase : 'paid');
  const path = next.path ?? tracked?.path ?? '/checkout';
  const { taken, left } = splitCart(purchased);
  // Written before the cart changes, so that no other tab removes the same units again. `taken` is needed only while
  // the payment can still fail.
  trackedPayment.write({ orderId, phase, path, taken: phase === 'paid' ? (tracked?.taken ?? taken) : [] });
  if (!tracked?.taken) guestCart.write(left);
}

/** Splits the cart into the purchased units and the rest. Units that were added since belong to the rest. */
function splitCart(purchased: readonly PurchasedUnits[]) {
  const units = quantitiesById(purchased);
  const taken: SavedLine[] = [];
  const left: SavedLine[] = [];
  for (const line of guestCart.read()) {
    const quantity = Math.min(line.quantity, units.get(line.product._id) ?? 0);
    const rest = line.quantity - quantity;
    if (quantity > 0) taken.push({ ...line, quantity, syncedQuantity: undefined });
    if (rest > 0) left.push(quantity > 0 ? withSeenPrice({ ...line, quantity: rest }) : line);
  }
  return { taken, left };
}

/** Restores the cart, also if the order may be paid. The payment is tracked further in `phase`; null ends that. */
export function restoreCart(orderId: string, phase: TrackedPayment['phase'] | null): void {
  const last = trackedPayment.read();
  if (last?.orderId !== orderId) return;
  trackedPayment.write(phase && { ...last, phase, taken: null });
  if (!last.taken) return;
  const lines = new Map(guestCart.read().map((line) => [line.product._id, line]));
  for (const line of last.taken) {
    const { _id } = line.product;
    const added = lines.get(_id);
    lines.set(_id, added ? { ...added, quantity: added.quantity + line.quantity } : line);
  }
  guestCart.write([...lines.values()]);
}

/** Called when the buyer has seen the result. Keeps the id of a paid order, so that its units are not removed again. */
export function markPaymentSeen(): void {
  const last = trackedPayment.read();
  if (last?.phase === 'ready' || last?.phase === 'waiting') trackedPayment.write({ ...last, phase: 'seen' });
  if (last?.phase === 'failed') trackedPayment.clear();
}

/** For a screen that shows these finished orders: clears the notice of their payment once the screen is visible. */
export function useSeenOrders(orderIds: readonly string[]): void {
  const payment = useStored(trackedPayment);
  const isShown = payment?.phase === 'ready' && orderIds.includes(payment.orderId);
  useEffect(() => {
    if (!isShown) return;
    const markIfVisible = () => {
      if (document.visibilityState === 'visible') markPaymentSeen();
    };
    markIfVisible();
    document.addEventListener('visibilitychange', markIfVisible);
    return () => document.removeEventListener('visibilitychange', markIfVisible);
  }, [isShown]);
}

/** Records the payment status that the shop reports; null when there is nothing left to wait for. */
export function followPayment(orderId: string, status: PaymentStatus | null): void {
  const last = trackedPayment.read();
  if (last?.orderId !== orderId || (last.phase !== 'confirming' && last.phase !== 'paid')) return;
  if (status?.orderId !== orderId) trackedPayment.clear();
  else if (status.state === 'failed') restoreCart(orderId, 'failed');
  else if (status.state !== 'open') markPaid(orderId, status.orderItems, { phase: status.state });
}
