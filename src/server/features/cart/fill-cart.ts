import { CART_FULL, MAX_CART_LINES, refusalToAdd, refusalToSet } from '../../../shared/cart-rules.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { lockUser } from '../accounts/accounts.queries.ts';
import { findActiveProduct } from '../catalog/catalog.queries.ts';
import { listCart, putCartEntry } from './cart.queries.ts';

/** Either units on top of those in the cart, or how many there shall be. */
type Change = { added: number } | { quantity: number };

/** Puts units of a product on sale into a customer's cart, or sets how many there are. Throws NOT_FOUND, OUT_OF_STOCK. */
export async function fillCart(
  deps: Pick<Deps, 'db' | 'clock'>,
  { userId, productId, ...change }: { userId: string; productId: string } & Change,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    // Two calls that add at once wait for each other, so that no unit is lost.
    await lockUser(trx, userId);
    const product = await findActiveProduct(trx, productId);
    if (!product) throw new AppError('NOT_FOUND', 'Product not found');
    const cart = await listCart(trx, userId);
    const held = cart.find(({ id }) => id === product.id)?.quantity ?? 0;
    const units = { held, stock: product.available };
    const refusal = 'added' in change ? refusalToAdd(change.added, units) : refusalToSet(change.quantity, units);
    if (refusal !== undefined) throw new AppError('OUT_OF_STOCK', refusal);
    if (held === 0 && cart.length >= MAX_CART_LINES) throw new AppError('VALIDATION_FAILED', CART_FULL);
    const quantity = 'added' in change ? held + change.added : change.quantity;
    await putCartEntry(trx, { userId, productId: product.id, quantity, now: deps.clock.now() });
  });
}
