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
  await shop.db.updateTable('items').set({ state: 'quarantined' }).where('product_id', '=', product.id).execute();
}

/** An administrator of the shop at an order's page. */
async function openAdminOrders(shop: RealShop, orderId: string) {
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop, { role: 'admin' })).email, TEST_PASSWORD);
  const path = `/api/admin/orders/${orderId}`;
  const [line] = ((await admin.get(path)).body.data as unknown as AdminOrderPage).lines;
  return { line, post: (action: string, body: object) => admin.post(`${path}/${action}`, body) };
}

/** Refunds units of an order's first line; all of the order without a number. */
export async function refund(shop: RealShop, orderId: string, units?: number): Promise<void> {
  const { line, post } = await openAdminOrders(shop, orderId);
  const lines = units === undefined ? undefined : [{ line: line?._id, quantity: units }];
  await post('refund', { reason: 'One too many', lines });
}

/** Replaces a faulty unit of an order's first line, by its number. */
export async function replaceUnit(shop: RealShop, orderId: string, unit: number): Promise<void> {
  const { line, post } = await openAdminOrders(shop, orderId);
  const item = line?.items.find(({ number }) => number === unit)?._id;
  await post('replace-item', { item, reason: 'Revoked' });
}

/** Refunds one unit of an order of one product, and alters another in the database, so that nobody can read it. */
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
