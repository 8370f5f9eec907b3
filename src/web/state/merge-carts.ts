import { MAX_CART_LINES } from '../../shared/cart-rules.ts';
import type { DigitalProduct } from '../../shared/catalog.ts';
import type { CartEntry } from '../lib/cart-storage.ts';
import { toCartProduct, withSeenPrice } from './cart-prices.ts';

interface AccountEntry {
  product: DigitalProduct;
  quantity: number;
}

interface Carts {
  local: readonly CartEntry[];
  account: readonly AccountEntry[];
  /** Products that were taken out here, which the account has not been told. */
  removed: ReadonlySet<string>;
  now: Date;
}

/**
 * The cart of this browser and that of its owner's account as one: per product the larger quantity. But where only one
 * side has changed since both agreed (`keptQuantity`), that side is right, so that nothing comes back that was removed or
 * bought on another device.
 */
export function mergeCarts({ local, account, removed, now }: Carts): CartEntry[] {
  const inAccount = new Map(account.map((entry) => [entry.product._id, entry]));
  const isLocal = new Set(local.map(({ product }) => product._id));
  const keptHere = local.flatMap((entry): CartEntry[] => {
    const kept = inAccount.get(entry.product._id);
    if (kept === undefined) return entry.quantity === entry.keptQuantity ? [] : [withoutMark(entry)];
    return [{ ...withSeenPrice(entry, now), ...entry, ...entryOf(kept, mergedQuantity(entry, kept), now) }];
  });
  const addedElsewhere = account
    .filter(({ product }) => !isLocal.has(product._id) && !removed.has(product._id))
    .map((entry) => entryOf(entry, Math.max(1, Math.min(entry.quantity, entry.product.stock)), now));
  return [...keptHere, ...addedElsewhere].slice(0, MAX_CART_LINES);
}

function mergedQuantity({ quantity: here, keptQuantity: before }: CartEntry, kept: AccountEntry): number {
  const { quantity: there, product } = kept;
  if (here === before) return there;
  if (there === before) return here;
  return Math.max(here, Math.min(there, product.stock));
}

const entryOf = ({ product, quantity }: AccountEntry, merged: number, now: Date): CartEntry => ({
  product: toCartProduct(product, now),
  quantity: merged,
  keptQuantity: quantity,
});

const withoutMark = ({ keptQuantity: _, ...entry }: CartEntry): CartEntry => entry;
