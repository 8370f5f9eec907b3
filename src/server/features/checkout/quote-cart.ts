import { AppError } from '../../../shared/errors.ts';
import { effectivePrice, type Totals, totalsOf } from '../../../shared/pricing.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { ProductRow } from '../../platform/database/tables.ts';
import { isOnSale } from '../catalog/catalog.queries.ts';
import { priceTermsOfRow } from '../catalog/offers.ts';
import { listProductsById, lockProductsById } from '../catalog/products.queries.ts';
import type { CartLine } from './cart-lines.ts';

export interface QuotedLine {
  /** As in the cart, from 1. */
  position: number;
  product: ProductRow;
  quantity: number;
  /** Cents of USD. */
  unitPriceCents: number;
  /** At the price of a flash sale whose units are limited, so that they must be counted. */
  takesFlashUnits: boolean;
}

export interface Quote extends Totals {
  lines: QuotedLine[];
}

// The most that Stripe charges to a card at once: eight digits of cents.
const MAX_TOTAL_CENTS = 99_999_999;

/** What a cart costs now, in cents of USD, by the server's prices alone; throws PRODUCT_UNAVAILABLE. */
export async function quoteCart(trx: Transaction, cart: CartLine[], now: Date): Promise<Quote> {
  const products = await readProducts(trx, cart);
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

async function readProducts(trx: Transaction, cart: CartLine[]): Promise<Map<string, ProductRow>> {
  const ids = cart.map((line) => line.productId);
  let rows = await listProductsById(trx, ids);
  // Only units of a limited flash sale are counted on the product itself; everything else needs no lock here.
  if (rows.some((row) => row.flash_units_limit !== null)) rows = await lockProductsById(trx, ids);
  return new Map(rows.map((row) => [row.id, row]));
}
