export const MAX_CART_LINES = 50;
export const MAX_UNITS_PER_LINE = 100;
export const CART_FULL = `A cart holds up to ${MAX_CART_LINES} different products`;

/** Unpaid at once, for guests and for customers who have never paid here; all from one network together. */
export const MAX_UNPAID_UNITS = 50;
const ALWAYS_ALLOWED = 5;

/** Of a product with so many unsold units, held ones included, what one guest may hold unpaid: a quarter, or 5. */
export const maxPerGuest = (unsold: number): number => Math.max(ALWAYS_ALLOWED, Math.floor(unsold / 4));

/** Of what is out of stock while unpaid orders hold units of it. */
export const RESERVED = 'Reserved by another buyer, it may be back in a few minutes';

interface Units {
  /** In the cart already. */
  held: number;
  stock: number;
}

const most = (stock: number) => Math.min(stock, MAX_UNITS_PER_LINE);
const only = (units: number) => `Only ${units} items available`;

/** Why `added` units cannot join those held, in words for the screen; undefined when they can. */
export function refusalToAdd(added: number, { held, stock }: Units): string | undefined {
  if (added > stock) return 'Not enough stock available';
  return held + added > most(stock) ? only(most(stock)) : undefined;
}

/** The same for a new quantity. Fewer is always allowed: it is the way out when the stock shrank below what is held. */
export function refusalToSet(quantity: number, { held, stock }: Units): string | undefined {
  return quantity > held && quantity > most(stock) ? only(most(stock)) : undefined;
}
