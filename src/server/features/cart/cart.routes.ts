import type { CartEntry } from '../../../shared/cart.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { presentProduct } from '../catalog/present-product.ts';
import { deleteCart, deleteCartEntry, listCart } from './cart.queries.ts';
import { fillCart } from './fill-cart.ts';

export function cartRoutes(route: Route, deps: Deps): void {
  const { db, clock, config } = deps;

  async function cartOf(userId: string): Promise<{ data: CartEntry[] }> {
    const rows = await listCart(db, userId);
    const now = clock.now();
    return {
      data: rows.map((row) => ({ _id: row.id, product: presentProduct(row, now, config), quantity: row.quantity })),
    };
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
    await deleteCartEntry(db, { userId, productId: params.id });
    return cartOf(userId);
  });

  route('DELETE /users/cart', async ({ viewer: { userId } }) => {
    await deleteCart(db, userId);
    return { data: [] };
  });
}
