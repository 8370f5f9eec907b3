import { openAdminOrders } from '../admin-orders.ts';
import type { MadeProduct } from '../factories.ts';
import type { RealShop } from './real-shop.ts';

/** Withdraws all items of a product, including delivered ones, without a refund. */
export async function withdraw(shop: RealShop, product: MadeProduct): Promise<void> {
  await shop.db.updateTable('items').set({ state: 'quarantined' }).where('product_id', '=', product.id).execute();
}

/** Refunds `units` units of an order's first line; the whole order if undefined. */
export async function refund(shop: RealShop, orderId: string, units?: number): Promise<void> {
  const admin = await openAdminOrders({ url: shop.url, deps: shop });
  const [line] = (await admin.page(orderId)).lines;
  const lines = units === undefined ? undefined : [{ line: line?._id, quantity: units }];
  await admin.act(orderId, 'refund', { reason: 'One too many', lines });
}

/** Replaces the unit with this number of an order's first line. */
export async function replaceUnit(shop: RealShop, orderId: string, unit: number): Promise<void> {
  const admin = await openAdminOrders({ url: shop.url, deps: shop });
  const [line] = (await admin.page(orderId)).lines;
  const item = line?.items.find(({ number }) => number === unit)?._id;
  await admin.act(orderId, 'replace-item', { item, reason: 'Revoked' });
}

/** Refunds one unit of an order of one product, and alters another in the database, so that it cannot be decrypted. */
export async function refundOneAndAlterAnother(shop: RealShop, orderId: string, product: MadeProduct): Promise<void> {
  await refund(shop, orderId, 1);
  const { id } = await shop.db
    .selectFrom('items')
    .select('id')
    .where('product_id', '=', product.id)
    .where('state', '=', 'sold')
    .executeTakeFirstOrThrow();
  await shop.db
    .updateTable('items')
    .set({ nonce: Buffer.alloc(12) })
    .where('id', '=', id)
    .execute();
}
