import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { MAX_UNPAID_UNITS } from '../../shared/cart-rules.ts';
import { isolated, plural } from '../../shared/format.ts';
import { totalsOf } from '../../shared/pricing.ts';
import { call } from '../lib/api-client.ts';
import { guestCart, type SavedLine } from '../lib/cart-storage.ts';
import { shopNow, useClock } from '../lib/shop-clock.ts';
import { storage, useStored } from '../lib/storage.ts';
import { addUnitsHeldHere, findLine, refreshProducts } from './cart-actions.ts';
import {
  cartRemedy,
  isSoldOut,
  limitNote,
  mergeCarts,
  nextPriceChange,
  type PricedLine,
  priceLine,
} from './cart-lines.ts';
import { useSession, withCartLock } from './session.tsx';
import { closedQuery } from './shop.ts';
import { useToasts } from './toasts.tsx';

const CartContext = createContext<ReturnType<typeof useCartState> | null>(null);

export function useCart() {
  const cart = useContext(CartContext);
  if (cart === null) throw new Error('useCart needs a CartProvider above it');
  return cart;
}

export const CartProvider = ({ children }: { children: ReactNode }) => (
  <CartContext value={useCartState()}>{children}</CartContext>
);

function useCartState() {
  const saved = useStored(guestCart);
  const token = useStored(storage.token);
  const isGuest = token === null;
  const [isOpen, setIsOpen] = useState(false);
  const queries = useQueryClient();
  const closed = useQuery({ ...closedQuery, enabled: false }).data ?? null;
  const { show } = useToasts();
  // Renders again whenever an offer in the cart starts or ends.
  useClock((now) => nextPriceChange(saved, new Date(now)) ?? 0, nextPriceChange(saved, shopNow()) !== undefined);

  const isSignedIn = useSession().status === 'signed-in';
  useEffect(() => (isSignedIn && token !== null ? syncCart(token) : undefined), [isSignedIn, token]);

  const refresh = useCallback(async () => {
    const closing = queries.fetchQuery({ ...closedQuery, staleTime: 0 });
    const [gone] = await Promise.all([refreshProducts(), closing]);
    for (const name of gone) {
      show({ type: 'warning', message: `${isolated(name)} is no longer available and was removed from your cart` });
    }
  }, [queries, show]);

  const now = shopNow();
  const lines: PricedLine[] = saved.map((line) => ({ ...priceLine(line, now), limitNote: limitNote(line, isGuest) }));
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const isLimited = isGuest && lines.some(({ product }) => product.maxPerGuest !== null);
  const isOverLimit = isLimited && count > MAX_UNPAID_UNITS;
  return {
    lines,
    count,
    /** Sum of unit price times quantity, in cents of USD, before tax and without sold-out lines. */
    totalCents: totalsOf(lines.filter((line) => !isSoldOut(line))).itemsCents,
    /** The shop's message while it takes no payments; null while it does. */
    closed,
    /** What prevents the payment of the cart; undefined if nothing does. */
    remedy: closed ?? cartRemedy(lines, isOverLimit ? `At most ${MAX_UNPAID_UNITS} items at once` : undefined),
    /** Updates `closed`, prices and stock, and removes products that are no longer sold. Rejects if a call fails. */
    refresh,
    isOpen,
    open: () => setIsOpen(true),
    close: () => setIsOpen(false),
  };
}

/**
 * Syncs the cart of a signed-in shopper with the account, for use on other devices. Returns a function that stops the
 * sync. The screens always use the cart in this browser. A change that cannot be sent is sent silently with the next
 * change.
 */
function syncCart(token: string): () => void {
  let isStopped = false;
  let isScheduled = false;
  let isRead = false;
  let lastSync = Promise.resolve();

  // Another tab may have signed out, emptied the cart, and signed in again.
  const isCurrent = () => !isStopped && storage.token.read() === token;

  async function read() {
    const { data } = await call('GET /users/cart');
    // Without the payment's state, the stock is as in the shop.
    await Promise.allSettled([addUnitsHeldHere(data.map(({ product }) => product))]);
    if (!isCurrent()) return;
    // Read after the call: lines that any tab removed during it are still in its response.
    const removed = new Set(guestCart.removals());
    guestCart.write(mergeCarts({ local: guestCart.read(), account: data, removed, now: shopNow() }));
    const inAccount = new Set(data.map(({ product }) => product._id));
    guestCart.forgetRemovals(guestCart.removals().filter((id) => !inAccount.has(id)));
    isRead = true;
  }

  async function sendRemovals() {
    // Removed one by one: another device may have added lines that this browser has not read.
    for (const id of guestCart.removals()) {
      if (!isCurrent() || findLine(id)) continue;
      if (await succeeds(call('DELETE /users/cart/:id', { params: { id } }))) guestCart.forgetRemovals([id]);
    }
  }

  async function sendQuantities() {
    for (const { _id: id } of guestCart.read().map(({ product }) => product)) {
      // The line may have changed while the previous one was sent.
      const { quantity, syncedQuantity } = findLine(id) ?? {};
      if (quantity === undefined || quantity === syncedQuantity || !isCurrent()) continue;
      const isSent = await succeeds(call('PUT /users/cart/:id', { params: { id }, body: { quantity } }));
      if (!isSent || !isCurrent()) continue;
      const synced = (line: SavedLine) => (line.product._id === id ? { ...line, syncedQuantity: quantity } : line);
      guestCart.write(guestCart.read().map(synced));
    }
  }

  async function sync() {
    isScheduled = false;
    if (!isCurrent()) return;
    if (!isRead && !(await succeeds(read()))) return;
    await sendRemovals();
    await sendQuantities();
  }

  // Changes during a sync are sent by the next sync. A second tab then has nothing left to send.
  function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    lastSync = lastSync.then(() => withCartLock(sync));
  }

  // The cart may have changed on another device while this tab was hidden. The checkout says what has changed.
  function readAgain() {
    if (document.visibilityState !== 'visible') return;
    isRead = false;
    schedule();
  }

  const unsubscribe = guestCart.subscribe(schedule);
  document.addEventListener('visibilitychange', readAgain);
  schedule();
  return () => {
    isStopped = true;
    unsubscribe();
    document.removeEventListener('visibilitychange', readAgain);
  };
}

const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );

export const itemsInCart = (count: number) => `${count} ${plural(count, 'item')}`;
