import type { UserRow } from '../../src/server/platform/database/tables.ts';
import type { AdminOrderPage } from '../../src/shared/admin-orders.ts';
import { type MadeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { type CartEntry, createShopper } from '../shopper.ts';
import type { RealShop } from './real-shop.ts';

/** Buys for a customer without a screen; answers the order's id. */
export async function buy(shop: RealShop, customer: UserRow, cart: CartEntry[]): Promise<string> {
  const shopper = createShopper(shop.url);
  await shopper.signIn(customer.email, TEST_PASSWORD);
  const { clientSecret = '' } = (await shopper.openPayment(cart)).body;
  await shopper.confirmCard(clientSecret);
  const { body } = await shopper.placeOrder(cart, clientSecret);
  return String(body.data?.['_id']);
}

/** Takes everything back that was delivered of a product, without a refund. */
export async function withdraw(shop: RealShop, product: MadeProduct): Promise<void> {
  await shop.db
    .updateTable('items')
    .set({ state: 'quarantined' })
    .where('product_id', '=', product.id)
    .execute();
}

/** Refunds one unit of an order of one product, and alters another in the database, so that nobody can read it. */
export async function refundOneAndAlterAnother(
  shop: RealShop,
  orderId: string,
  product: MadeProduct,
): Promise<void> {
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop, { role: 'admin' })).email, TEST_PASSWORD);
  const { lines } = (await admin.get(`/api/admin/orders/${orderId}`)).body.data as unknown as AdminOrderPage;
  const part = { reason: 'One too many', lines: [{ line: lines[0]?._id, quantity: 1 }] };
  await admin.post(`/api/admin/orders/${orderId}/refund`, part);
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
