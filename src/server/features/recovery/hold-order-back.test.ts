import { expect, it, vi } from 'vitest';
import { countWaiting } from '../../../../test/locks.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { lockItem } from '../inventory/restore.queries.ts';
import { holdOrderBack, listHeldBack } from './held-back.queries.ts';

const shop = await openTestShop();

it('an order that is held back while its buyer reads it is read first', async () => {
  const { db, clock } = shop.deps;
  const { orderId, buyer, products } = await buyAsGuest(shop, { quantity: 1 });
  const item = await db
    .selectFrom('items')
    .select('items.id')
    .where('product_id', '=', products[0]?.id ?? '')
    .executeTakeFirstOrThrow();
  // The reader has seen that the order is not frozen, and waits before the item counts as seen.
  const [read] = await db
    .transaction()
    .execute(async (trx) => {
      await lockItem(trx, item.id);
      const reading = buyer.get(`/api/digital-orders/${orderId}/items`);
      await vi.waitFor(async () => expect(await countWaiting(db)).toBe(1), { timeout: 5_000 });
      const holding = holdOrderBack(db, orderId, clock.now());
      const both = vi.waitFor(async () => expect(await countWaiting(db)).toBe(2), { timeout: 5_000 });
      await Promise.race([holding, both]);
      return [reading, holding] as const;
    })
    .then((calls) => Promise.all(calls));
  expect(read.status).toBe(200);
  expect(await listHeldBack(db)).toEqual([orderId]);
});
