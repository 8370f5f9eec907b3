import { type Totals, toDollars, totalsOf } from '../../../shared/pricing.ts';
import { type CartLine, isSoldOut } from '../../state/cart-prices.ts';

/** What the buyer saw when pressing Pay; money in cents of USD. */
export interface Quote {
  lines: readonly CartLine[];
  totals: Totals;
}

/** What is sold out is shown and not counted. */
export const quoteOf = (lines: readonly CartLine[]): Quote => ({
  lines,
  totals: totalsOf(lines.filter((line) => !isSoldOut(line))),
});

/** The lines as the API takes them, in dollars; the server charges its own prices and compares. */
export const orderItemsOf = ({ lines }: Quote) =>
  lines.map(({ product, quantity, unitPriceCents }) => ({
    product: product._id,
    name: product.name,
    quantity,
    price: toDollars(unitPriceCents),
    image: product.image,
  }));
