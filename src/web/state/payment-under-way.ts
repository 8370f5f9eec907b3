import { useEffect } from 'react';
import type { PaymentStatus } from '../../shared/orders.ts';
import type { CartEntry } from '../lib/cart-storage.ts';
import { type KeptPayment, storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';
import { type Bought, takeOut } from './cart.tsx';

/** The card of this order is about to be confirmed: from now on every page and tab of this browser follows it. */
export function beginPayment(orderId: string): void {
  storage.payment.write({ orderId, phase: 'confirming', path: '/checkout', taken: null });
}

/** The payment was authorised: its goods leave the cart, once however often and in how many tabs this is noticed. */
export function markPaid(
  orderId: string,
  bought: readonly Bought[],
  next: Partial<Pick<KeptPayment, 'phase' | 'path'>> = {},
): void {
  const last = storage.payment.read();
  const kept = last?.orderId === orderId ? last : { path: '/checkout' as const, taken: null };
  const isNew = kept.taken === null;
  const phase =
    next.phase ?? (last?.orderId === orderId && last.phase !== 'confirming' ? last.phase : 'paid');
  // Written before the cart changes, so that no other tab takes the same out again.
  storage.payment.write({
    orderId,
    phase,
    path: next.path ?? kept.path,
    // Given back only when the payment fails after all.
    taken: phase === 'paid' ? (kept.taken ?? entriesOf(bought)) : [],
  });
  if (isNew) takeOut(bought);
}

/** No money was taken: the goods come back into the cart. `isSeen` where the buyer reads why at this moment. */
export function markFailed(orderId: string, { isSeen }: { isSeen: boolean }): void {
  giveBack(orderId, isSeen ? null : 'failed');
}

/** The shop refused to hand the order over, and whether it is paid remains to be asked: until then the cart stands. */
export function markUnsure(orderId: string): void {
  giveBack(orderId, 'confirming');
}

function giveBack(orderId: string, phase: KeptPayment['phase'] | null): void {
  const last = storage.payment.read();
  if (last?.orderId !== orderId) return;
  storage.payment.write(phase && { ...last, phase, taken: null });
  if (last.taken) putBack(last.taken);
}

/** The buyer has seen how it ended. Of a paid order the id stays, so that nothing leaves the cart for it again. */
export function markSeen(): void {
  const last = storage.payment.read();
  if (last?.phase === 'ready' || last?.phase === 'waiting') storage.payment.write({ ...last, phase: 'seen' });
  if (last?.phase === 'failed') storage.payment.clear();
}

/** For a screen that shows these finished orders: the notice of a payment among them goes once somebody looks at it. */
export function useSeenOrders(orderIds: readonly string[]): void {
  const kept = useStored(storage.payment);
  const isShown = kept?.phase === 'ready' && orderIds.includes(kept.orderId);
  useEffect(() => {
    if (!isShown) return;
    const look = () => {
      if (document.visibilityState === 'visible') markSeen();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [isShown]);
}

/** What the shop says of the payment that `orderId` stands for; null when its browser need not wait any more. */
export function followPayment(orderId: string, status: PaymentStatus | null): void {
  const last = storage.payment.read();
  if (last?.orderId !== orderId || (last.phase !== 'confirming' && last.phase !== 'paid')) return;
  if (status?.orderId !== orderId) storage.payment.clear();
  else if (status.state === 'failed') markFailed(orderId, { isSeen: false });
  else if (status.state !== 'open') markPaid(orderId, status.orderItems, { phase: status.state });
}

function entriesOf(bought: readonly Bought[]): CartEntry[] {
  const units = new Map(bought.map(({ product, quantity }) => [product, quantity]));
  return storage.guestCart.read().flatMap(({ keptQuantity: _, ...entry }) => {
    const quantity = Math.min(entry.quantity, units.get(entry.product._id) ?? 0);
    return quantity > 0 ? [{ ...entry, quantity }] : [];
  });
}

function putBack(taken: readonly CartEntry[]): void {
  const entries = new Map(storage.guestCart.read().map((entry) => [entry.product._id, entry]));
  for (const entry of taken) {
    const { _id } = entry.product;
    const now = entries.get(_id);
    entries.set(_id, now ? { ...now, quantity: now.quantity + entry.quantity } : entry);
  }
  storage.guestCart.write([...entries.values()]);
}
