export const MAX_CART_LINES = 50;
export const MAX_UNITS_PER_LINE = 100;
/** The stock of a product that never runs out. */
export const ENDLESS_STOCK = 1_000_000;
export const CART_FULL = `A cart holds up to ${MAX_CART_LINES} different products`;

/** Unpaid at once, for guests and for customers who have never paid here; all from one network together. */
export const MAX_UNPAID_UNITS = 50;
const ALWAYS_ALLOWED = 5;

/** Of a product with so many unsold units, held ones included, what one guest may hold unpaid: a quarter, or 5. */
export const maxPerGuest = (unsold: number): number => Math.max(ALWAYS_ALLOWED, Math.floor(unsold / 4));

/** Out of stock, while unpaid orders hold units. */
export const RESERVED = 'Reserved by another buyer, it may be back in a few minutes';

export const TAKE_FEWER = 'Take fewer to go on, or sign in if you have bought here before.';

interface Units {
  /** In the cart already. */
  held: number;
  stock: number;
  /** Units that this buyer may hold unpaid at once; null or absent without a limit. */
  maxAtOnce?: number | null;
}

export const atMostAtOnce = (units: number) => `At most ${units} of this at once`;

/** Why `added` units cannot be added, for the screen; undefined when they can. */
export function refusalToAdd(added: number, { held, stock, maxAtOnce }: Units): string | undefined {
  if (added > stock) return 'Not enough stock available';
  return refusalOf(held + added, stock, maxAtOnce);
}

/** The same for a new quantity. Fewer is always allowed, because the stock may have shrunk. */
export const refusalToSet = (quantity: number, { held, stock, maxAtOnce }: Units): string | undefined =>
  quantity > held ? refusalOf(quantity, stock, maxAtOnce) : undefined;

function refusalOf(quantity: number, stock: number, maxAtOnce: number | null = null): string | undefined {
  const most = Math.min(stock, MAX_UNITS_PER_LINE);
  if (quantity > most) return `Only ${most} items available`;
  return maxAtOnce !== null && quantity > maxAtOnce ? atMostAtOnce(maxAtOnce) : undefined;
}
