import { atMostAtOnce, MAX_CART_LINES, TAKE_FEWER } from '../../shared/cart-rules.ts';
import type { Product } from '../../shared/catalog.ts';
import { effectivePrice, priceTermsOf, toDollars } from '../../shared/pricing.ts';
import type { CartProduct, SavedLine } from '../lib/cart-storage.ts';
import { shopNow } from '../lib/shop-clock.ts';

export interface PricedLine extends Pick<SavedLine, 'product' | 'quantity'> {
  /** Cents of USD that each unit costs now, at this quantity. */
  unitPriceCents: number;
  /** Cents per unit when the shopper last chose the quantity, if the price was different then. */
  previousPriceCents?: number | undefined;
  /** The message with the number of units that the buyer may hold at once, if the line has more. */
  limitNote?: string | undefined;
}

const termsOf = (product: CartProduct) => priceTermsOf({ ...product, price: product.regularPrice });

/** Prices a line at `now` by the same rule as the server. */
export function priceLine({ product, quantity, seenPriceCents }: SavedLine, now = shopNow()): PricedLine {
  const { unitPriceCents } = effectivePrice(termsOf(product), quantity, now);
  const previousPriceCents = seenPriceCents === unitPriceCents ? undefined : seenPriceCents;
  return { product, quantity, unitPriceCents, previousPriceCents };
}

/** The line with its price at `now` recorded as seen by the shopper. */
export const withSeenPrice = (line: SavedLine, now = shopNow()): SavedLine => ({
  ...line,
  seenPriceCents: priceLine(line, now).unitPriceCents,
});

/** Returns the message with the number of units in stock if the line has more; undefined otherwise. */
export function stockNote({ product: { stock }, quantity }: SavedLine): string | undefined {
  if (stock >= quantity) return undefined;
  return stock === 0 ? 'Out of stock at the moment' : `${stock} available at the moment`;
}

/** A sold-out line stays in the cart but is not counted in the totals. */
export const isSoldOut = ({ product: { stock } }: Pick<SavedLine, 'product'>): boolean => stock === 0;

/** What to change before the cart can be paid; `overLimit` says that all lines together have too many units. */
export function cartRemedy(lines: readonly PricedLine[], overLimit: string | undefined): string | undefined {
  const short = lines.filter((line) => stockNote(line) !== undefined);
  if (!short.every(isSoldOut)) return 'Take no more than is available to go on.';
  if (short.length > 0) return 'Remove what is out of stock to go on.';
  if (overLimit !== undefined) return `${overLimit}. ${TAKE_FEWER}`;
  return lines.some((line) => line.limitNote !== undefined) ? TAKE_FEWER : undefined;
}

/** Returns how many units of a product this buyer may hold unpaid, as far as the browser knows. The server decides. */
export const maxAtOnce = (product: Pick<CartProduct, 'maxPerGuest'>, isGuest: boolean): number | null =>
  isGuest ? product.maxPerGuest : null;

/** Returns the message if the line has more units than `maxAtOnce`. */
export function limitNote({ product, quantity }: SavedLine, isGuest: boolean): string | undefined {
  const max = maxAtOnce(product, isGuest);
  return max !== null && quantity > max ? atMostAtOnce(max) : undefined;
}

/** The fields of a product that the cart keeps; `price` is the price of one unit at `now`, in dollars. */
export function toCartProduct(product: Product, now = shopNow()): CartProduct {
  const { _id, kind, name, image, category, stock, reserved, maxPerGuest, discount, flashSale } = product;
  const { unitPriceCents } = effectivePrice(priceTermsOf(product), 1, now);
  const kept = { _id, kind, name, image, category, stock, reserved, maxPerGuest, discount, flashSale };
  return { ...kept, price: toDollars(unitPriceCents), regularPrice: product.price };
}

/** The next moment, in milliseconds since 1970, at which an offer in the cart starts or ends. */
export function nextPriceChange(lines: readonly SavedLine[], now: Date): number | undefined {
  const moments = lines.flatMap(({ product }) => {
    const { discount, flashSale } = termsOf(product);
    return [discount?.startsAt, discount?.endsAt, flashSale?.startsAt, flashSale?.endsAt];
  });
  const ahead = moments.flatMap((moment) => (moment && moment > now ? [moment.getTime()] : []));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

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
