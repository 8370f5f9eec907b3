import { MAX_UNITS_PER_LINE } from '../../../shared/cart-rules.ts';
import { AppError } from '../../../shared/errors.ts';
import { effectivePrice, type Totals, totalsOf } from '../../../shared/pricing.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow } from '../../platform/database/tables.ts';
import { isOnSale } from '../catalog/catalog.queries.ts';
import { priceTermsOfRow } from '../catalog/offers.ts';
import { listQuotedProducts, lockProductsById, type QuotedProduct } from '../catalog/products.queries.ts';

/** A line of the cart that the browser wants to buy. */
export interface RequestedLine {
  /** Place in the cart, from 1: the place of its line in the order. */
  position: number;
  productId: string;
  /** As the browser showed it: only for a message about a product that was deleted. */
  name: string;
  quantity: number;
}

/**
 * The products of a cart, each once, sorted by id, because rows are locked in that sequence; `position` keeps the sequence
 * of the cart. Throws VALIDATION_FAILED when the lines of one product add up to more than a line may have.
 */
export function requestedLines(orderItems: { product: string; name: string; quantity: number }[]): RequestedLine[] {
  const lines = new Map<string, RequestedLine>();
  for (const { product, name, quantity } of orderItems) {
    const known = lines.get(product);
    const units = quantity + (known?.quantity ?? 0);
    const message = `An order can have up to ${MAX_UNITS_PER_LINE} of each product`;
    if (units > MAX_UNITS_PER_LINE) throw new AppError('VALIDATION_FAILED', message, 'orderItems');
    const position = known?.position ?? lines.size + 1;
    lines.set(product, { position, productId: product, name, quantity: units });
  }
  return [...lines.values()].sort((a, b) => (a.productId < b.productId ? -1 : 1));
}

/** Whether an order consists of exactly this cart. */
export function sameLines(cart: RequestedLine[], ordered: OrderLineRow[]): boolean {
  const quantities = new Map(ordered.map((line) => [line.product_id, line.quantity]));
  return cart.length === ordered.length && cart.every((line) => quantities.get(line.productId) === line.quantity);
}

export interface QuotedLine {
  position: number;
  product: QuotedProduct;
  quantity: number;
  /** Cents of USD. */
  unitPriceCents: number;
  /** At the price of a flash sale with limited units, which must be counted. */
  takesFlashUnits: boolean;
}

// The most that Stripe charges to a card at once: eight digits of cents.
const MAX_TOTAL_CENTS = 99_999_999;

/**
 * What a cart costs now, in cents of USD, by the server's prices alone. The products of a flash sale with limited units stay
 * locked until the transaction ends: of two buyers of the last unit the second waits here, and is quoted the price after the
 * sale. Throws PRODUCT_UNAVAILABLE.
 */
export async function quoteCart(
  trx: Transaction,
  cart: RequestedLine[],
  now: Date,
): Promise<Totals & { lines: QuotedLine[] }> {
  const ids = cart.map((line) => line.productId);
  let rows = await listQuotedProducts(trx, ids);
  if (rows.some((row) => row.flash_units_limit !== null)) rows = await lockProductsById(trx, ids);
  const products = new Map(rows.map((row) => [row.id, row]));
  const lines = cart.map(({ position, productId, name, quantity }): QuotedLine => {
    const product = products.get(productId);
    if (!product || !isOnSale(product)) {
      throw new AppError('PRODUCT_UNAVAILABLE', `"${product?.name ?? name}" is no longer available`);
    }
    const { unitPriceCents, source } = effectivePrice(priceTermsOfRow(product), quantity, now);
    const takesFlashUnits = source === 'flash-sale' && product.flash_units_limit !== null;
    return { position, product, quantity, unitPriceCents, takesFlashUnits };
  });
  const totals = totalsOf(lines);
  if (totals.totalCents > MAX_TOTAL_CENTS) {
    throw new AppError('VALIDATION_FAILED', 'An order can be worth at most $999,999.99', 'orderItems');
  }
  return { lines, ...totals };
}
