export const MAX_CART_LINES = 50;
export const MAX_UNITS_PER_LINE = 100;
/** Reported as the stock of a product without a limit. */
export const UNLIMITED_STOCK = 1_000_000;
export const LINE_FULL = `An order can have up to ${MAX_UNITS_PER_LINE} of each product`;
export const CART_FULL = `A cart holds up to ${MAX_CART_LINES} different products`;

/** Units that a guest, or a customer who has never paid here, may hold unpaid; all of one network together as well. */
export const MAX_UNPAID_UNITS = 50;
/** Anybody may hold this many units of a product, whatever its stock. Up to it, the stock is not counted. */
export const ALWAYS_ALLOWED = 5;

/**
 * Returns the units of one product that a guest may hold unpaid: a quarter of the unsold units, but at least 5.
 * `unsold` includes held units.
 */
export const maxPerGuest = (unsold: number): number => Math.max(ALWAYS_ALLOWED, Math.floor(unsold / 4));

/** Shown when a product is out of stock while unpaid orders hold units of it. */
export const RESERVED = 'Reserved by another buyer, it may be back in a few minutes';

export const TAKE_FEWER = 'Take fewer to go on, or sign in if you have bought here before.';

interface Units {
  inCart: number;
  stock: number;
  /** Units that this buyer may hold unpaid at once; null or absent if there is no limit. */
  maxAtOnce?: number | null;
}

export const atMostAtOnce = (units: number) => `At most ${units} of this at once`;

/** Returns the message why `added` units cannot be added to the cart; undefined when they can. */
export function refusalToAdd(added: number, { inCart, stock, maxAtOnce }: Units): string | undefined {
  if (added > stock) return 'Not enough stock available';
  return refusalOf(inCart + added, stock, maxAtOnce);
}

/** The same for a new quantity of a line. A lower one is always allowed, even above the stock, which may shrink. */
export const refusalToSet = (quantity: number, { inCart, stock, maxAtOnce }: Units): string | undefined =>
  quantity > inCart ? refusalOf(quantity, stock, maxAtOnce) : undefined;

function refusalOf(quantity: number, stock: number, maxAtOnce: number | null = null): string | undefined {
  if (quantity > stock) return `Only ${stock} items available`;
  if (quantity > MAX_UNITS_PER_LINE) return LINE_FULL;
  return maxAtOnce !== null && quantity > maxAtOnce ? atMostAtOnce(maxAtOnce) : undefined;
}
