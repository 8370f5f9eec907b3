import { MAX_UNITS_PER_LINE } from '../../../shared/cart-rules.ts';
import { AppError } from '../../../shared/errors.ts';
import type { OrderLineRow } from '../../platform/database/tables.ts';

export interface CartLine {
  /** Place in the cart, from 1: the place of its line in the order. */
  position: number;
  productId: string;
  /** As the browser called it: only for a message about a product that is gone. */
  name: string;
  quantity: number;
}

/**
 * The products of a cart, each once, sorted by id, because rows are locked in that order; `position` keeps the order of
 * the cart. Throws VALIDATION_FAILED when the lines of one product add up to more than a line may have.
 */
export function cartLines(orderItems: { product: string; name: string; quantity: number }[]): CartLine[] {
  const lines = new Map<string, CartLine>();
  for (const { product, name, quantity } of orderItems) {
    const known = lines.get(product);
    const units = quantity + (known?.quantity ?? 0);
    if (units > MAX_UNITS_PER_LINE) {
      const message = `An order can have up to ${MAX_UNITS_PER_LINE} of each product`;
      throw new AppError('VALIDATION_FAILED', message, 'orderItems');
    }
    const position = known?.position ?? lines.size + 1;
    lines.set(product, { position, productId: product, name, quantity: units });
  }
  return [...lines.values()].sort((a, b) => (a.productId < b.productId ? -1 : 1));
}

/** Whether an order consists of exactly this cart. */
export function sameLines(cart: CartLine[], ordered: OrderLineRow[]): boolean {
  const quantities = new Map(ordered.map((line) => [line.product_id, line.quantity]));
  return (
    cart.length === ordered.length && cart.every((line) => quantities.get(line.productId) === line.quantity)
  );
}
