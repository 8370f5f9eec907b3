import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useReducer,
  useState,
} from 'react';
import {
  CART_FULL,
  MAX_CART_LINES,
  MAX_UNPAID_UNITS,
  refusalToAdd,
  refusalToSet,
} from '../../shared/cart-rules.ts';
import type { DigitalProduct } from '../../shared/catalog.ts';
import { totalsOf } from '../../shared/pricing.ts';
import type { CartEntry, CartProduct } from '../lib/cart-storage.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';
import {
  type CartLine,
  isSoldOut,
  limitNote,
  maxAtOnce,
  nextPriceChange,
  priceLine,
  toCartProduct,
  withSeenPrice,
} from './cart-prices.ts';
import { refreshCart } from './refresh-cart.ts';
import { useSession } from './session.tsx';
import { useToasts } from './toasts.tsx';

const MAX_TIMER_MS = 2 ** 31 - 1;
const TOO_MANY_AT_ONCE = `At most ${MAX_UNPAID_UNITS} items at once`;

/** Units of a product, by its id. */
export interface Bought {
  product: string;
  quantity: number;
}

export type CartResult = { ok: true } | { ok: false; message: string };

interface Cart {
  lines: CartLine[];
  /** Units over all lines. */
  count: number;
  /** Says how many units a guest may pay at once, where there are more over all lines. */
  limitNote: string | undefined;
  /** Sum of unit price times quantity, in cents of USD, before tax and without what is sold out. */
  totalCents: number;
  add(product: DigitalProduct, quantity?: number): CartResult;
  setQuantity(id: string, quantity: number): CartResult;
  remove(id: string): void;
  /** Puts a removed line back where it was in `order`, the ids of the lines as they were shown. */
  putBack(line: CartLine, order: readonly string[]): void;
  /** Whether the cart holds these units at this moment, whatever other tabs have done to it. */
  holds(wanted: readonly Bought[]): boolean;
  /** Reads prices and stock anew and drops, with a word, what the shop no longer sells. */
  refresh(): Promise<void>;
  isOpen: boolean;
  open(): void;
  close(): void;
}

const done: CartResult = { ok: true };
const refused = (message: string): CartResult => ({ ok: false, message });

const isGuest = () => storage.token.read() === null;
const unitsOf = (product: Pick<CartProduct, 'stock' | 'maxPerGuest'>) => ({
  stock: product.stock,
  maxAtOnce: maxAtOnce(product, isGuest()),
});

function add(product: DigitalProduct, quantity = 1): CartResult {
  const entries = storage.guestCart.read();
  const before = entries.find((entry) => entry.product._id === product._id);
  const held = before?.quantity ?? 0;
  const refusal = refusalToAdd(quantity, { held, ...unitsOf(product) });
  if (refusal !== undefined) return refused(refusal);
  if (held === 0 && entries.length >= MAX_CART_LINES) return refused(CART_FULL);
  const now = new Date();
  const added = { ...before, product: toCartProduct(product, now), quantity: held + quantity };
  const entry = withSeenPrice(added, now);
  storage.guestCart.write(
    held === 0
      ? [...entries, entry]
      : entries.map((other) => (other.product._id === product._id ? entry : other)),
  );
  return done;
}

function setQuantity(id: string, quantity: number): CartResult {
  const entries = storage.guestCart.read();
  const entry = entries.find(({ product }) => product._id === id);
  if (entry === undefined || quantity < 1) return done;
  const refusal = refusalToSet(quantity, { held: entry.quantity, ...unitsOf(entry.product) });
  if (refusal !== undefined) return refused(refusal);
  const changed = withSeenPrice({ ...entry, quantity }, new Date());
  storage.guestCart.write(entries.map((other) => (other === entry ? changed : other)));
  return done;
}

function remove(id: string) {
  storage.guestCart.write(storage.guestCart.read().filter(({ product }) => product._id !== id));
}

function putBack(line: CartLine, order: readonly string[]) {
  const { product, quantity, unitPriceCents, previousPriceCents = unitPriceCents } = line;
  const entries = storage.guestCart.read();
  if (entries.length >= MAX_CART_LINES || entries.some((entry) => entry.product._id === product._id)) return;
  const entry = { product, quantity, seenPriceCents: previousPriceCents };
  // A line that was added since comes last.
  const placeOf = ({ product: { _id } }: CartEntry) => order.indexOf(_id) + 1 || order.length + 1;
  storage.guestCart.write([...entries, entry].sort((one, other) => placeOf(one) - placeOf(other)));
}

function holds(wanted: readonly Bought[]): boolean {
  const units = new Map(storage.guestCart.read().map(({ product, quantity }) => [product._id, quantity]));
  return wanted.every(({ product, quantity }) => (units.get(product) ?? 0) >= quantity);
}

/** Takes out the units of an order that is paid; what was added since stays. */
export function takeOut(bought: readonly Bought[]) {
  const units = new Map(bought.map(({ product, quantity }) => [product, quantity]));
  const now = new Date();
  const left = storage.guestCart.read().flatMap((entry) => {
    const taken = units.get(entry.product._id) ?? 0;
    if (taken === 0) return [entry];
    const quantity = entry.quantity - taken;
    return quantity > 0 ? [withSeenPrice({ ...entry, quantity }, now)] : [];
  });
  storage.guestCart.write(left);
}

/** Renders anew whenever an offer in the cart starts or ends. */
function useOfferChanges(entries: readonly CartEntry[]) {
  const [changes, count] = useReducer((before: number) => before + 1, 0);
  useEffect(() => {
    const change = nextPriceChange(entries, new Date());
    if (change === undefined) return;
    const timer = setTimeout(count, Math.min(change - Date.now(), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [entries, changes]);
}

/** What keeps the cart in its owner's account is loaded only where there is one. */
function useAccountCart() {
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
      ({ keepCartInAccount }) => {
        if (!isOver) stop = keepCartInAccount(owner);
      },
      () => undefined,
    );
    return () => stop();
  }, [owner]);
}

const CartContext = createContext<Cart | null>(null);

export function CartProvider({ children }: { children: ReactNode }) {
  const entries = useStored(storage.guestCart);
  const token = useStored(storage.token);
  const [isOpen, setIsOpen] = useState(false);
  const { show } = useToasts();
  useOfferChanges(entries);
  useAccountCart();

  const refresh = useCallback(async () => {
    for (const name of await refreshCart()) {
      show({ type: 'warning', message: `${name} is no longer available and was removed from your cart` });
    }
  }, [show]);

  const now = new Date();
  const lines = entries.map((entry) => ({
    ...priceLine(entry, now),
    limitNote: limitNote(entry, token === null),
  }));
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const isLimited = token === null && entries.some(({ product }) => product.maxPerGuest !== null);
  const cart: Cart = {
    lines,
    count,
    limitNote: isLimited && count > MAX_UNPAID_UNITS ? TOO_MANY_AT_ONCE : undefined,
    totalCents: totalsOf(lines.filter((line) => !isSoldOut(line))).itemsCents,
    add,
    setQuantity,
    remove,
    putBack,
    holds,
    refresh,
    isOpen,
    open: () => setIsOpen(true),
    close: () => setIsOpen(false),
  };
  return <CartContext value={cart}>{children}</CartContext>;
}

export function useCart(): Cart {
  const cart = useContext(CartContext);
  if (cart === null) throw new Error('useCart needs a CartProvider above it');
  return cart;
}
