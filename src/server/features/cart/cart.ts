import { type Insertable, sql } from 'kysely';
import type { CartEntry } from '../../../shared/cart.ts';
import { CART_FULL, MAX_CART_LINES, refusalToAdd, refusalToSet } from '../../../shared/cart-rules.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Database, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Route } from '../../platform/http/route.ts';
import { lockUser } from '../accounts/accounts.queries.ts';
import { columnsOnSale, findActiveProduct, type ProductOnSale } from '../catalog/catalog.queries.ts';
import { presentProduct } from '../catalog/present-product.ts';

const listCart = (db: Database, userId: string) => rowsOf<ProductOnSale & { quantity: number }>(db)`
  SELECT ${columnsOnSale}, quantity FROM products JOIN cart_entries ON product_id = products.id
  WHERE user_id = ${userId} AND is_active ORDER BY added_at, products.id`;

const putCartEntry = (trx: Transaction, entry: Insertable<Tables['cart_entries']>) =>
  sql`
    ${trx.insertInto('cart_entries').values(entry)}
    ON CONFLICT (user_id, product_id) DO UPDATE SET quantity = excluded.quantity`.execute(trx);

export function cartRoutes(route: Route, deps: Deps): void {
  const { db, clock, config } = deps;

  async function cartOf(userId: string): Promise<{ data: CartEntry[] }> {
    const rows = await listCart(db, userId);
    const now = clock.now();
    const data = rows.map((row) => ({
      _id: row.id,
      product: presentProduct(row, now, config),
      quantity: row.quantity,
    }));
    return { data };
  }

  route('GET /users/cart', ({ viewer }) => cartOf(viewer.userId));

  route('POST /users/cart', async ({ viewer: { userId }, body: { productId, quantity } }) => {
    await fillCart(deps, { userId, productId, added: quantity });
    return cartOf(userId);
  });

  route('PUT /users/cart/:id', async ({ viewer: { userId }, params, body }) => {
    await fillCart(deps, { userId, productId: params.id, quantity: body.quantity });
    return cartOf(userId);
  });

  route('DELETE /users/cart/:id', async ({ viewer: { userId }, params }) => {
    await db.deleteFrom('cart_entries').where('user_id', '=', userId).where('product_id', '=', params.id).execute();
    return cartOf(userId);
  });

  route('DELETE /users/cart', async ({ viewer: { userId } }) => {
    await db.deleteFrom('cart_entries').where('user_id', '=', userId).execute();
    return { data: [] };
  });
}

/** Adds units of a product to a cart, or sets their number. Throws NOT_FOUND, OUT_OF_STOCK, VALIDATION_FAILED. */
async function fillCart(
  deps: Deps,
  { userId, productId, ...change }: { userId: string; productId: string } & ({ added: number } | { quantity: number }),
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    // Serialises concurrent calls of a user, so that no unit is lost.
    await lockUser(trx, userId);
    const product = orNotFound(await findActiveProduct(trx, productId), 'Product not found');
    const cart = await listCart(trx, userId);
    const inCart = cart.find(({ id }) => id === product.id)?.quantity ?? 0;
    const units = { inCart, stock: product.available };
    const refusal = 'added' in change ? refusalToAdd(change.added, units) : refusalToSet(change.quantity, units);
    if (refusal !== undefined) throw new AppError('OUT_OF_STOCK', refusal);
    if (inCart === 0 && cart.length >= MAX_CART_LINES) throw new AppError('VALIDATION_FAILED', CART_FULL);
    const quantity = 'added' in change ? inCart + change.added : change.quantity;
    await putCartEntry(trx, { user_id: userId, product_id: product.id, quantity, added_at: deps.clock.now() });
  });
}
