import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProduct, makeSharedProduct, makeUser } from '../../../../test/factories.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { makeUserWithTwoFactor } from '../../../../test/two-factor.ts';
import { insertAlert } from '../admin/alerts.queries.ts';

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin' });
const { db } = shop.deps;

test.each<[string, (reason: string) => Promise<{ status: number }>]>([
  ['the reason to close the shop', (reason) => admin.post('/api/admin/shop/close', { reason })],
  ['the text of a closed shop', (message) => admin.post('/api/admin/shop/close', { reason: 'Stocktaking', message })],
  ['the reason to open the shop', (reason) => admin.post('/api/admin/shop/open', { reason })],
  [
    'the reason to block a user',
    async (reason) => {
      const { id } = await makeUser(shop.deps);
      return admin.send('PUT', `/api/admin/users/${id}/block`, { blocked: true, reason });
    },
  ],
  [
    'the reason to acknowledge an alert',
    async (reason) => {
      await insertAlert(db, { kind: 'unknown-payment', subject: 'pi_1', order_id: null }, new Date());
      const { id } = await db.selectFrom('alerts').select('id').executeTakeFirstOrThrow();
      return admin.post(`/api/admin/alerts/${id}/acknowledge`, { reason });
    },
  ],
  [
    'the reason to read a shared content',
    async (reason) => {
      const { id } = await makeSharedProduct(shop.deps, { stock: null, content: 'the same for all' });
      const reader = await makeUserWithTwoFactor(shop, { role: 'admin' });
      return reader.shopper.post(`/api/digital-products/${id}/content/reveal`, { code: reader.code(), reason });
    },
  ],
  [
    'the reason to put withdrawn items on sale again',
    async (restoreReason) => {
      const { id, keys: items } = await makeProduct(shop.deps, { items: 1 });
      await db.updateTable('items').set({ state: 'voided' }).where('product_id', '=', id).execute();
      return admin.post(`/api/digital-products/${id}/inventory`, { items, restoreReason });
    },
  ],
  [
    'a note on an order of another product',
    async (text) => {
      const { orderId } = await buyAsGuest(shop, { quantity: 1 });
      return admin.post(`/api/admin/orders/${orderId}/notes`, { text, draft: crypto.randomUUID() });
    },
  ],
])('a key of the stock is masked in %s', async (_where, send) => {
  const { keys } = await makeProduct(shop.deps, { items: 2 });
  expect((await send(`He has "${keys[0]}", and ${keys[1]}.`)).status).toBe(200);
  const { rows } = await sql<{ row: string }>`
    SELECT summary AS row FROM audit_log
    UNION ALL SELECT shop_closed::text FROM shop_closed
    UNION ALL SELECT end_reason FROM alerts WHERE end_reason IS NOT NULL
    UNION ALL SELECT block_reason FROM users WHERE block_reason IS NOT NULL
    UNION ALL SELECT text FROM order_notes`.execute(db);
  const stored = rows.map(({ row }) => row).join('\n');
  expect(stored).toMatch(/He has \W*KEY-•+\S+, and KEY-•+\S+\./);
  for (const key of keys) expect(stored).not.toContain(key);
});
