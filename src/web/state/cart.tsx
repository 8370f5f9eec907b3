import { createContext, type ReactNode, useCallback, useContext, useEffect, useReducer, useState } from 'react';
import { MAX_UNPAID_UNITS } from '../../shared/cart-rules.ts';
import { totalsOf } from '../../shared/pricing.ts';
import { call } from '../lib/api-client.ts';
import type { SavedLine } from '../lib/cart-storage.ts';
import { shopNow } from '../lib/shop-clock.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/stored-value.ts';
import { refreshProducts } from './cart-actions.ts';
import { cartRemedy, isSoldOut, limitNote, nextPriceChange, type PricedLine, priceLine } from './cart-prices.ts';
import { syncCart } from './cart-sync.ts';
import { useSession } from './session.tsx';
import { useToasts } from './toasts.tsx';

interface Cart {
  lines: PricedLine[];
  /** Units in all lines. */
  count: number;
  /** Sum of unit price times quantity, in cents of USD, before tax and without sold-out lines. */
  totalCents: number;
  /** The shop's message while it takes no payments; null while it does. */
  closed: string | null;
  /** What prevents the payment of the cart; undefined if nothing does. */
  remedy: string | undefined;
  /**
   * Updates `closed`, prices and stock, and removes products that the shop no longer sells, with a toast for each.
   * Rejects if a call fails.
   */
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
  const token = useStored(storage.token);
  const isGuest = token === null;
  const [isOpen, setIsOpen] = useState(false);
  const [closed, setClosed] = useState<string | null>(null);
  const { show } = useToasts();
  useOfferChanges(saved);

  const isSignedIn = useSession().status === 'signed-in';
  useEffect(() => (isSignedIn && token !== null ? syncCart(token) : undefined), [isSignedIn, token]);

  const refresh = useCallback(async () => {
    const [{ data }, gone] = await Promise.all([call('GET /shop/closed'), refreshProducts()]);
    setClosed(data.text);
    for (const name of gone) {
      show({ type: 'warning', message: `${name} is no longer available and was removed from your cart` });
    }
  }, [show]);

  const now = shopNow();
  const lines = saved.map((line) => ({ ...priceLine(line, now), limitNote: limitNote(line, isGuest) }));
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const isLimited = isGuest && lines.some(({ product }) => product.maxPerGuest !== null);
  const isOverLimit = isLimited && count > MAX_UNPAID_UNITS;
  const cart: Cart = {
    lines,
    count,
    totalCents: totalsOf(lines.filter((line) => !isSoldOut(line))).itemsCents,
    closed,
    remedy: closed ?? cartRemedy(lines, isOverLimit ? `At most ${MAX_UNPAID_UNITS} items at once` : undefined),
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
    const change = nextPriceChange(lines, shopNow());
    if (change === undefined) return;
    const timer = setTimeout(count, Math.min(change - shopNow().getTime(), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [lines, changes]);
}
