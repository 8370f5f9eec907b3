import { expect, it } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });

it('an item released while the deletion of its product is being undone is on sale again', async () => {
  const { db } = shop.deps;
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);
  const product = await makeProduct(shop.deps);
  const path = `/api/digital-products/${product.id}`;
  const buyer = createShopper(shop.url);
  const { body } = await buyer.openPayment([{ product, quantity: 1 }], { email: 'gives-up@example.com' });
  expect((await admin.send('DELETE', path)).status).toBe(200);

  // The entry of the audit log is the last statement of the edit, which therefore waits with everything else written.
  const calls = [
    () => admin.send('PUT', path, { undoDelete: true, isActive: true }),
    () => buyer.post('/api/digital-orders/guest/checkout/abandon', { orderId: body.orderId, pageIsClosed: false }),
  ];
  const [undone, left] = await startWhileLocked(db, lockAndFindLastEntry, calls);
  expect([undone?.status, left?.status]).toEqual([200, 200]);
  const items = db.selectFrom('items').select('state').where('product_id', '=', product.id);
  expect(await items.execute()).toEqual([{ state: 'available' }]);
});
