import { createContext, type ReactNode, useCallback, useContext, useEffect, useReducer, useState } from 'react';
import { MAX_UNPAID_UNITS } from '../../shared/cart-rules.ts';
import { totalsOf } from '../../shared/pricing.ts';
import type { SavedLine } from '../lib/cart-storage.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/stored-value.ts';
import { type PurchasedUnits, quantitiesById, refreshProducts } from './cart-actions.ts';
import {
  cartRemedy,
  isSoldOut,
  limitNote,
  nextPriceChange,
  type PricedLine,
  priceLine,
  withSeenPrice,
} from './cart-prices.ts';
import { useSession } from './session.tsx';
import { useToasts } from './toasts.tsx';

interface Cart {
  lines: PricedLine[];
  /** Units in all lines. */
  count: number;
  /** Sum of unit price times quantity, in cents of USD, before tax and without sold-out lines. */
  totalCents: number;
  /** What to change before the cart can be paid. */
  remedy: string | undefined;
  /** Updates prices and stock and removes what the shop no longer sells, with a toast for each. */
  refresh(): Promise<void>;
  isOpen: boolean;
  open(): void;
  close(): void;
}

const CartContext = createContext<Cart | null>(null);

export function useCart(): Cart {
  const cart = useContext(CartContext);
  if (cart === null) throw new Error('useCart needs a CartProvider above it');
  return cart;
}

export function CartProvider({ children }: { children: ReactNode }) {
  const saved = useStored(storage.guestCart);
  const isGuest = useStored(storage.token) === null;
  const [isOpen, setIsOpen] = useState(false);
  const { show } = useToasts();
  useOfferChanges(saved);
  useCartSync();

  const refresh = useCallback(async () => {
    for (const name of await refreshProducts()) {
      show({ type: 'warning', message: `${name} is no longer available and was removed from your cart` });
    }
  }, [show]);

  const now = new Date();
  const lines = saved.map((line) => ({ ...priceLine(line, now), limitNote: limitNote(line, isGuest) }));
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const isLimited = isGuest && lines.some(({ product }) => product.maxPerGuest !== null);
  const isOverLimit = isLimited && count > MAX_UNPAID_UNITS;
  const cart: Cart = {
    lines,
    count,
    totalCents: totalsOf(lines.filter((line) => !isSoldOut(line))).itemsCents,
    remedy: cartRemedy(lines, isOverLimit ? `At most ${MAX_UNPAID_UNITS} items at once` : undefined),
    refresh,
    isOpen,
    open: () => setIsOpen(true),
    close: () => setIsOpen(false),
  };
  return <CartContext value={cart}>{children}</CartContext>;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Renders again whenever an offer in the cart starts or ends. */
function useOfferChanges(lines: readonly SavedLine[]) {
  const [changes, count] = useReducer((before: number) => before + 1, 0);
  useEffect(() => {
    const change = nextPriceChange(lines, new Date());
    if (change === undefined) return;
    const timer = setTimeout(count, Math.min(change - Date.now(), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [lines, changes]);
}

/** Syncs the cart with the account of a signed-in shopper; the code is loaded for them only. */
function useCartSync() {
  const { status } = useSession();
  const token = useStored(storage.token);
  const owner = status === 'signed-in' ? token : null;
  useEffect(() => {
    if (owner === null) return;
    let isOver = false;
    let stop = () => {
      isOver = true;
    };
    import('./cart-sync.ts').then(
      ({ syncCart }) => {
        if (!isOver) stop = syncCart(owner);
      },
      () => undefined,
    );
    return () => stop();
  }, [owner]);
}

/** Splits the cart into the units that were purchased and what is left; units that were added since are left. */
export function splitCart(purchased: readonly PurchasedUnits[]) {
  const units = quantitiesById(purchased);
  const taken: SavedLine[] = [];
  const left: SavedLine[] = [];
  for (const line of storage.guestCart.read()) {
    const { syncedQuantity: _, ...unsynced } = line;
    const quantity = Math.min(line.quantity, units.get(line.product._id) ?? 0);
    if (quantity > 0) taken.push({ ...unsynced, quantity });
    if (quantity === 0) left.push(line);
    else if (quantity < line.quantity)
      left.push(withSeenPrice({ ...line, quantity: line.quantity - quantity }, new Date()));
  }
  return { taken, left };
}

/** Adds the units of an order that was not paid after all to what is in the cart now. */
export function restorePurchased(removed: readonly SavedLine[]) {
  const lines = new Map(storage.guestCart.read().map((line) => [line.product._id, line]));
  for (const line of removed) {
    const { _id } = line.product;
    const now = lines.get(_id);
    lines.set(_id, now ? { ...now, quantity: now.quantity + line.quantity } : line);
  }
  storage.guestCart.write([...lines.values()]);
}
