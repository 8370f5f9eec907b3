import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { createEmptyDatabase } from '../../../../test/database.ts';
import { insertLine, insertOrder, makeProduct } from '../../../../test/factories.ts';
import { openReportDesk } from '../../../../test/problem-reports.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { ListedReport } from '../../../shared/problem-reports.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { readMigrations } from '../../platform/database/migration-history.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { searchReports } from './problem-reports.queries.ts';

const shop = await openTestShop();
const desk = await openReportDesk(shop);
await makeReports();

/** Two reports of each product: one of a buyer who is named in the order, and one of a buyer named in the account. */
async function makeReports() {
  const buyers = ['Aisha Tan', 'Bo Lim', 'Wei Harbour'];
  for (const [place, name] of ['Harbour Legends', 'Quiet Farm', 'Moon 50%'].entries()) {
    for (const isNamedInOrder of [true, false]) {
      shop.pass(60_000);
      const { orderId, report, guest, buyer } = await desk.buy({ quantity: 1, name });
      const [opened] = (await report()).reports;
      const buyerName = buyers[place] ?? '';
      const orders = shop.deps.db.updateTable('orders').where('id', '=', orderId);
      await orders.set({ guest_name: isNamedInOrder ? buyerName : '' }).execute();
      const account = shop.deps.db.updateTable('users').where('email', '=', guest.email);
      await account.set({ name: isNamedInOrder ? 'Not Shown' : buyerName }).execute();
      if (place > 0) await buyer.post(`/api/problem-reports/${opened?._id}/withdraw`, {});
    }
  }
}

const shows = (q: string) => (report: ListedReport) => {
  const texts = [report.item.productName, `#${report.order.slice(-8)}`, report.email, report.customer];
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));
};

it.each(['HARBOUR', 'quiet', 'aisha', 'lim', '0%', 'buying-guest', 'not shown'])(
  'a search for %j finds the same reports in a shop with few and with many',
  async (q) => {
    for (const closed of [true, false]) {
      const filter = closed ? ({ closed: 'true' } as const) : {};
      const all = await desk.queue(filter);
      expect(all).toHaveLength(closed ? 4 : 2);
      const matching = all.filter(shows(q)).map(({ _id }) => _id);
      expect((await desk.queue({ ...filter, q, limit: '1' })).map(({ _id }) => _id)).toEqual(matching);

      // A small limit simulates a shop with more reports than a search reads one by one.
      const { ids, total } = await searchReports(shop.deps.db, filter, q, 2);
      expect(ids).toEqual(matching);
      expect(total).toBe(matching.length);
    }
  },
);

it('a report from before 0060_reported_products.sql has the name of its product in the order', async () => {
  const database = await createEmptyDatabase();
  const earlier = readMigrations().filter(({ name }) => name < '0060');
  await migrate(database.connectionString, earlier);
  const db = openDatabase(database.connectionString);
  const now = shop.deps.clock.now();
  const product = await makeProduct({ ...shop.deps, db }, { name: 'Renamed since' });
  const order_id = await insertOrder(db, now);
  const line = { order_id, product_id: product.id, quantity: 1, name: 'Harbour Legends' };
  const sold = { state: 'sold' as const, order_line_id: await insertLine(db, line), unit: 1, delivered_at: now };
  const { id: item_id } = await db.updateTable('items').set(sold).returning('id').executeTakeFirstOrThrow();
  const report = { order_id, item_id, problem: 'used' as const, opened_at: now, waiting_since: now };
  await db
    .insertInto('problem_reports')
    .values({ ...report, id: uuidv7() })
    .execute();

  await migrate(database.connectionString);
  const named = await db.selectFrom('problem_reports').select('product_name').execute();
  expect(named).toEqual([{ product_name: 'Harbour Legends' }]);
  await db.destroy();
  await database.drop();
});
