import { expect, it } from 'vitest';
import { startWhileLocked } from '../../../../test/locks.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { lockItem } from '../inventory/inventory.queries.ts';
import { holdOrderBack, listHeldBack } from './recovery.queries.ts';

const shop = await openTestShop();

it('holding an order back waits for a concurrent read of its items', async () => {
  const { db, clock } = shop.deps;
  const { orderId, buyer, products } = await buyAsGuest(shop, { quantity: 1 });
  const item = await db
    .selectFrom('items')
    .select('items.id')
    .where('product_id', '=', products[0]?.id ?? '')
    .executeTakeFirstOrThrow();
  // The reader has seen that the order is not frozen, and waits before the item counts as seen.
  const [read] = await startWhileLocked<unknown>(db, (trx) => lockItem(trx, item.id), [
    () => buyer.get(`/api/digital-orders/${orderId}/items`),
    () => holdOrderBack(db, orderId, clock.now()),
  ]);
  expect(read).toMatchObject({ status: 200 });
  expect(await listHeldBack(db)).toEqual([orderId]);
});
