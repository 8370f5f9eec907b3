import { randomUUID } from 'node:crypto';
import { insertNotice } from '../src/server/features/notices/notices.queries.ts';
import type { AdminOrders } from './admin-orders.ts';
import type { TestShop } from './test-shop.ts';

/** Returns a call of each endpoint about notices that takes a text, made by an administrator. */
export function callsOfNotices(open: () => { shop: TestShop; desk: AdminOrders }) {
  const place = ['2026-01-01 00:00:00+00', randomUUID()];
  const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
  return {
    'GET /admin/notices': () => ({ by: open().desk.admin, query: { q: 'x', limit: '5', cursor, unread: 'true' } }),
    'POST /admin/notices/:id/read': async () => {
      const { shop, desk } = open();
      const about = { subject: randomUUID(), aboutId: randomUUID() };
      await insertNotice(shop.deps.db, { kind: 'new-order', ...about }, shop.deps.clock.now());
      const row = shop.deps.db.selectFrom('notices').select('id').where('subject', '=', about.subject);
      return { by: desk.admin, params: await row.executeTakeFirstOrThrow(), body: { older: false } };
    },
    'PUT /admin/notice-settings': async () => {
      const { admin } = open().desk;
      const { body } = await admin.get('/api/admin/notice-settings');
      return {
        by: admin,
        body: {
          version: body.data?.['version'],
          deliveries: body.data?.['deliveries'],
          recipients: [{ _id: randomUUID(), isMailed: true }],
        },
      };
    },
  };
}
