import { MAX_CART_LINES } from '../../shared/cart-rules.ts';
import type { Product } from '../../shared/catalog.ts';
import type { SavedLine } from '../lib/cart-storage.ts';
import { toCartProduct, withSeenPrice } from './cart-prices.ts';

interface AccountLine {
  product: Product;
  quantity: number;
}

interface Carts {
  local: readonly SavedLine[];
  account: readonly AccountLine[];
  /** Products that were removed here while the account still has them. */
  removed: ReadonlySet<string>;
  now: Date;
}

/**
 * Merges the cart of this browser with that of its owner's account: per product the larger quantity. If only one side has
 * changed since the last sync (`syncedQuantity`), that side wins, so that a line that was removed or bought on another
 * device does not come back.
 */
export function mergeCarts({ local, account, removed, now }: Carts): SavedLine[] {
  const inAccount = new Map(account.map((line) => [line.product._id, line]));
  const isLocal = new Set(local.map(({ product }) => product._id));
  const keptHere = local.flatMap((line): SavedLine[] => {
    const remote = inAccount.get(line.product._id);
    const { syncedQuantity, ...unsynced } = line;
    if (remote === undefined) return line.quantity === syncedQuantity ? [] : [unsynced];
    return [{ ...withSeenPrice(line, now), ...line, ...syncedLine(remote, mergedQuantity(line, remote), now) }];
  });
  const addedElsewhere = account
    .filter(({ product }) => !isLocal.has(product._id) && !removed.has(product._id))
    .map((line) => syncedLine(line, Math.max(1, Math.min(line.quantity, line.product.stock)), now));
  return [...keptHere, ...addedElsewhere].slice(0, MAX_CART_LINES);
}

function mergedQuantity({ quantity: here, syncedQuantity: before }: SavedLine, remote: AccountLine): number {
  const { quantity: there, product } = remote;
  if (here === before) return there;
  if (there === before) return here;
  return Math.max(here, Math.min(there, product.stock));
}

const syncedLine = ({ product, quantity }: AccountLine, merged: number, now: Date): SavedLine => ({
  product: toCartProduct(product, now),
  quantity: merged,
  syncedQuantity: quantity,
});
