import { type RawBuilder, sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { makeGoods, makeProduct, makeSharedProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { askForDownload, buyFile, makeFileProduct } from '../../../../test/product-files.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { finishRefunds } from '../orders/finish-refunds.ts';
import { lockOrder } from '../orders/orders.queries.ts';
import { beginRefund } from '../orders/refund-order.ts';
import { issueReceipts } from '../receipts/issue-receipts.ts';
import { checkBooks } from './check-books.ts';

const shop = await openTestShop();
// By number: read, refunded in part, refunded, replaced, disputed, unpaid, shipped in part, shared, manual, file.
const orders: string[] = [];

beforeAll(async () => {
  const desk = await openAdminOrders(shop);
  const reason = 'Faulty';
  for (let n = 0; n < 5; n += 1) {
    const bought = await buyAsGuest(shop, { quantity: 2, warranty_days: 30 });
    orders.push(bought.orderId);
    await bought.keys();
    const [line] = (await desk.page(bought.orderId)).lines;
    const intent = (await desk.page(bought.orderId)).paymentResult?.id ?? '';
    if (n === 1) await desk.act(bought.orderId, 'refund', { reason, lines: [{ line: line?._id, quantity: 1 }] });
    if (n === 2) await desk.act(bought.orderId, 'refund', { reason });
    if (n === 3) {
      await desk.admin.post(`/api/digital-products/${bought.products[0]?.id}/inventory`, { items: ['SPARE-KEY'] });
      await desk.act(bought.orderId, 'replace-item', { item: line?.items[0]?._id, reason });
    }
    if (n === 4) {
      const provider = await openProviderDesk(shop.deps.db);
      await provider.claim('dispute', intent);
      await provider.decide(shop.url, intent, 'lost');
      await provider.deliver(shop.url, provider.writeEvent('charge.dispute.closed', intent));
    }
  }
  const product = await makeGoods(shop.deps, 'physical', 5);
  const shipped = await createShopper(shop.url).buy([{ product, quantity: 2 }], { email: 'shipped@example.com' });
  const [line] = (await desk.page(shipped.orderId)).lines;
  const way = { carrier: 'DHL', trackingNumber: '1', lines: [{ line: line?._id, quantity: 1 }] };
  await desk.act(shipped.orderId, 'ship', way);
  const flash = await makeProduct(shop.deps, { items: 3, flash_price_cents: 500, flash_units_limit: 3 });
  const cart = [{ product: { ...flash, price: 5 }, quantity: 1 }];
  const unpaid = await createShopper(shop.url).openPayment(cart, { email: 'unpaid@example.com' });
  const course = await makeSharedProduct(shop.deps, { stock: 5 });
  const shared = await createShopper(shop.url).buy([{ product: course, quantity: 2 }], { email: 'shared@example.com' });
  const topUp = await makeProduct(shop.deps, { items: 0, delivery: 'manual' });
  const manual = await createShopper(shop.url).buy([{ product: topUp, quantity: 2 }], { email: 'manual@example.com' });
  const [waiting] = (await desk.page(manual.orderId)).lines;
  await desk.act(manual.orderId, 'deliver-unit', { line: waiting?._id, unit: 1, content: 'DONE' });
  const { product: book } = await makeFileProduct(shop, { download_limit: 1 });
  const file = await buyFile(shop, book, 2);
  await askForDownload(file.buyer, file);
  orders.push(unpaid.body.orderId ?? '', shipped.orderId, shared.orderId, manual.orderId, file.orderId);
  await issueReceipts(shop.deps);
});
const verify = (db: typeof shop.deps.db = shop.deps.db, patienceMs = 0) =>
  checkBooks({ ...shop.deps, db }, { patienceMs });

const orderOf = (n: number) => sql`(SELECT id FROM orders WHERE id = ${orders[n]})`;
const linesOf = (n: number) => sql`(SELECT id FROM order_lines WHERE order_id = ${orders[n]})`;
const intentOf = (n: number) => sql`(SELECT payment_intent_id FROM orders WHERE id = ${orders[n]})`;
const itemOf = (n: number) => sql`(SELECT id FROM items WHERE order_line_id IN ${linesOf(n)} ORDER BY id LIMIT 1)`;

const productOf = (n: number) => sql`(SELECT product_id FROM order_lines WHERE order_id = ${orders[n]})`;
/** Kinds of delivery whose items are made on delivery, with the numbers of their orders. */
const madeItems = [['shared', 7] as const, ['manual', 8] as const, ['file', 9] as const];
const anotherGrant = sql`
  SELECT gen_random_uuid(), sha256('another'), item_id, file_id, session_id, created_at, expires_at FROM download_grants`;

const reportOn = (n: number, end: string) => sql`
  INSERT INTO problem_reports (id, order_id, item_id, problem, opened_at, closed_at, outcome)
  SELECT gen_random_uuid(), ${orderOf(n)}, ${itemOf(n)}, 'used', now(), ${sql.raw(end)}`;

/** Changes tables, verifies the books and restores the tables. Returns the invariants of the faults. */
async function namedAfter(...intrusions: RawBuilder<unknown>[]): Promise<string[]> {
  const { db } = shop.deps;
  const tables = [
    'orders',
    'order_lines',
    'items',
    'products',
    'reveals',
    'audit_log',
    'test_mode_intents',
    'test_mode_refunds',
    'refunds',
    'stock_changes',
    'parcel_lines',
    'problem_reports',
    'receipts',
    'receipt_series',
    'order_freezes',
    'product_files',
    'file_chunks',
    'download_grants',
  ];
  await db.transaction().execute(async (trx) => {
    await withoutGuards(trx);
    for (const table of tables)
      await sql`CREATE TABLE ${sql.table(`kept_${table}`)} AS TABLE ${sql.table(table)}`.execute(trx);
    for (const intrusion of intrusions) await intrusion.execute(trx);
  });
  const { faults } = await verify();
  await db.transaction().execute(async (trx) => {
    await withoutGuards(trx);
    for (const table of tables) {
      await sql`DELETE FROM ${sql.table(table)}`.execute(trx);
      await sql`INSERT INTO ${sql.table(table)} OVERRIDING SYSTEM VALUE TABLE ${sql.table(`kept_${table}`)}`.execute(
        trx,
      );
      await sql`DROP TABLE ${sql.table(`kept_${table}`)}`.execute(trx);
    }
  });
  return [...new Set(faults.map(({ invariant }) => invariant))].sort();
}

/** Disables triggers and foreign keys: as somebody could write who has full access to the database. */
const withoutGuards = (trx: Transaction) => sql`SET LOCAL session_replication_role = replica`.execute(trx);

describe('the books', () => {
  it('have no faults with paid, refunded, partly refunded, replaced, disputed and unpaid orders', async () => {
    const { faults, checked } = await verify();
    expect(faults).toEqual([]);
    expect(checked).toMatchObject({ orders: 10, payments: 10, refunds: 2, items: 19, receipts: 11 });
    expect(checked.auditEntries).toBeGreaterThan(3);
  });

  it.each<[string, () => RawBuilder<unknown>[], string[]]>([
    [
      'a paid order is cancelled',
      () => [sql`UPDATE orders SET state = 'cancelled' WHERE id = ${orderOf(0)}`],
      ['I1', 'I3', 'I4'],
    ],
    [
      'a limit of units is raised without a count',
      () => [sql`UPDATE products SET stock = stock + 1 WHERE delivery = 'shared'`],
      ['I3'],
    ],
    [
      'nobody waits for a unit that a person has to deliver',
      () => [sql`UPDATE orders SET waiting_units = 0 WHERE id = ${orderOf(8)}`],
      ['I3'],
    ],
    ['a chunk of a file is gone', () => [sql`DELETE FROM file_chunks WHERE number = 3`], ['files']],
    [
      'a chunk of a file is cut short',
      () => [sql`UPDATE file_chunks SET ciphertext = substr(ciphertext, 1, 20) WHERE number = 3`],
      ['files'],
    ],
    [
      'a product has lost the file that was sold',
      () => [sql`UPDATE product_files SET superseded_at = now()`],
      ['files'],
    ],
    [
      'a file is downloaded without an entry in the ledger',
      () => [sql`INSERT INTO download_grants ${anotherGrant}`],
      ['files', 'ledger'],
    ],
    [
      'a file is downloaded more often than its limit says',
      () => [
        sql`INSERT INTO download_grants ${anotherGrant}`,
        sql`INSERT INTO reveals (item_id, order_id, user_id, ip, user_agent, at)
          SELECT item_id, order_id, user_id, ip, user_agent, now() FROM reveals WHERE item_id = ${itemOf(9)}`,
      ],
      ['files'],
    ],
    [
      'a captured payment loses its order',
      () => [sql`UPDATE orders SET payment_intent_id = 'pi_other' WHERE id = ${orderOf(0)}`],
      ['I1', 'I4'],
    ],
    [
      'a physical order whose e-mail was corrected has no payment',
      () => [sql`UPDATE orders SET checkout_hash = NULL, payment_intent_id = 'pi_other' WHERE id = ${orderOf(6)}`],
      ['I1', 'I4'],
    ],
    [
      'a refunded order has its money',
      () => [
        sql`UPDATE test_mode_intents SET refunded_cents = 0 WHERE id = ${intentOf(2)}`,
        sql`DELETE FROM test_mode_refunds WHERE intent_id = ${intentOf(2)}`,
      ],
      ['I1', 'I4'],
    ],
    [
      'an item is shown to another order',
      () => [sql`UPDATE reveals SET order_id = ${orderOf(1)} WHERE item_id = ${itemOf(0)}`],
      ['I2'],
    ],
    [
      'an item fills a line of another product',
      () => [
        sql`UPDATE order_lines SET product_id = (SELECT product_id FROM order_lines WHERE order_id = ${orderOf(1)}) WHERE order_id = ${orderOf(0)}`,
      ],
      ['I2'],
    ],
    [
      'a sold item is on sale again',
      () => [
        sql`DELETE FROM reveals WHERE item_id = ${itemOf(0)}`,
        sql`UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL, first_viewed_at = NULL WHERE id = ${itemOf(0)}`,
      ],
      ['I1', 'I3'],
    ],
    [
      'an uploaded item is gone',
      () => [
        sql`DELETE FROM items WHERE product_id IN (SELECT product_id FROM order_lines WHERE order_id = ${orderOf(3)})`,
      ],
      ['I1', 'I3'],
    ],
    [
      'a unit is gone from the shelf',
      () => [sql`UPDATE products SET stock = stock - 1 WHERE stock IS NOT NULL`],
      ['I3'],
    ],
    ['a change of the stock is gone from its ledger', () => [sql`DELETE FROM stock_changes WHERE units < 0`], ['I3']],
    [
      'a paid order has lost its counted goods',
      () => [sql`UPDATE order_lines SET counted_units = 0 WHERE order_id = ${orderOf(6)}`],
      ['I1', 'I3'],
    ],
    ['more is shipped than was bought', () => [sql`UPDATE parcel_lines SET quantity = 3`], ['I3']],
    [
      'flash sale units are miscounted',
      () => [sql`UPDATE products SET flash_units_taken = 2 WHERE flash_units_limit = 3`],
      ['I3'],
    ],
    [
      'an order says less than was captured',
      () => [sql`UPDATE orders SET refunded_cents = 0 WHERE id = ${orderOf(1)}`],
      ['I4'],
    ],
    [
      'somebody refunds a part by hand',
      () => [
        sql`INSERT INTO test_mode_refunds (id, intent_id, amount_cents, created_at) VALUES ('re_by_hand', ${intentOf(0)}, 100, now())`,
      ],
      ['I4'],
    ],
    [
      'a paid order waits for nobody',
      () => [
        sql`UPDATE orders SET state = 'capturing', fulfilled_at = NULL, paid_at = NULL, sweep_at = NULL WHERE id = ${orderOf(0)}`,
        sql`UPDATE items SET state = 'allocated' WHERE order_line_id IN ${linesOf(0)}`,
      ],
      ['I1', 'I4', 'ledger', 'outcome'],
    ],
    [
      'a secret is altered',
      () => [
        sql`UPDATE items SET ciphertext = set_byte(ciphertext, 0, get_byte(ciphertext, 0) # 1) WHERE id = ${itemOf(0)}`,
      ],
      ['items'],
    ],
    [
      'a secret has another one’s fingerprint',
      () => [sql`UPDATE items SET content_hmac = '\\x00' WHERE id = ${itemOf(0)}`],
      ['items'],
    ],
    ['an entry of the ledger is gone', () => [sql`DELETE FROM reveals WHERE item_id = ${itemOf(0)}`], ['ledger']],
    [
      'what was frozen was shown',
      () => [
        sql`INSERT INTO order_freezes (id, order_id, cause, frozen_at)
          VALUES ('dp_1', ${orderOf(0)}, 'dispute', now() - interval '1 hour')`,
      ],
      ['ledger'],
    ],
    [
      'what was shown could be sold again',
      () => [
        sql`UPDATE items SET state = 'quarantined' WHERE first_viewed_at IS NOT NULL AND order_line_id IN ${linesOf(2)}`,
      ],
      ['ledger'],
    ],
    [
      'what an administrator has read is on sale again',
      () => [
        sql`INSERT INTO reveals (item_id, ip, user_agent, reason, at) VALUES (${itemOf(0)}, '', '', 'To see', now() - interval '1 day')`,
        sql`UPDATE items SET restored_at = now() WHERE id = ${itemOf(0)}`,
      ],
      ['ledger'],
    ],
    [
      'a reported item is on sale',
      () => [
        reportOn(1, "now(), 'refunded'"),
        sql`UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL, first_viewed_at = NULL WHERE id = ${itemOf(1)}`,
      ],
      ['I1', 'I2', 'I3', 'ledger', 'reports'],
    ],
    ['the problem report on a returned item is still open', () => [reportOn(2, 'NULL, NULL')], ['reports']],
    [
      'an entry of the audit log is changed',
      () => [sql`UPDATE audit_log SET summary = 'Nothing' WHERE id = (SELECT max(id) FROM audit_log)`],
      ['audit'],
    ],
    ['a receipt is gone', () => [sql`DELETE FROM receipts WHERE number = 2`], ['receipts']],
    [
      'an order of yesterday has no receipt',
      () => [
        sql`DELETE FROM receipts`,
        sql`UPDATE receipt_series SET last_number = 0, orders_until = now()`,
        sql`UPDATE orders SET paid_at = now() - interval '1 day' WHERE id = ${orderOf(0)}`,
      ],
      ['receipts'],
    ],
    [
      'a receipt says another sum',
      () => [sql`UPDATE receipts SET content = jsonb_set(content, '{totalCents}', '1') WHERE number = 1`],
      ['receipts'],
    ],
    ...madeItems.flatMap<[string, () => RawBuilder<unknown>[], string[]]>(([delivery, n]) => [
      [
        `a delivered item of a ${delivery} product is lost`,
        () => [sql`DELETE FROM reveals WHERE item_id = ${itemOf(n)}`, sql`DELETE FROM items WHERE id = ${itemOf(n)}`],
        ['I3'],
      ],
      [
        `a delivered item of a ${delivery} product is on sale`,
        () => [
          sql`DELETE FROM reveals WHERE item_id = ${itemOf(n)}`,
          sql`DELETE FROM download_grants WHERE item_id = ${itemOf(n)}`,
          sql`UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL, first_viewed_at = NULL WHERE id = ${itemOf(n)}`,
        ],
        ['I3'],
      ],
      [
        `an item of a ${delivery} product is shown to another order`,
        () => [
          sql`INSERT INTO reveals (item_id, order_id, user_id, ip, user_agent, at)
            SELECT ${itemOf(n)}, id, user_id, '', '', now() FROM orders WHERE id = ${orders[0]}`,
        ],
        ['I2', 'ledger'],
      ],
      [
        `an item of a ${delivery} product fills a line of another product`,
        () => [sql`UPDATE order_lines SET product_id = ${productOf(0)} WHERE id IN ${linesOf(n)}`],
        ['I2'],
      ],
      [
        `an item of a ${delivery} product has the fingerprint of another`,
        () => [sql`UPDATE items SET content_hmac = sha256('another') WHERE id = ${itemOf(n)}`],
        ['items'],
      ],
      [
        `an item of a ${delivery} product is delivered before its order is paid`,
        () => [sql`UPDATE order_lines SET counted_state = 'held' WHERE id IN ${linesOf(n)}`],
        ['I1', 'I3'],
      ],
      [
        `a unit of a ${delivery} product is given back that its buyer still has`,
        () => [sql`UPDATE order_lines SET counted_units = 0 WHERE id IN ${linesOf(n)}`],
        ['I1', 'I3'],
      ],
    ]),
  ])('have a fault when %s', async (_, intrusions, named) => {
    expect(await namedAfter(...intrusions())).toEqual(named);
    expect(await namedAfter()).toEqual([]);
  });

  it('have a fault for a payment of the shop without an order, but not for one of other software', async () => {
    const copy = (metadata: RawBuilder<unknown>, createdAt = sql`created_at`) => sql`
      INSERT INTO test_mode_intents SELECT (jsonb_populate_record(intent, jsonb_build_object(
        'id', 'pi_' || gen_random_uuid(), 'metadata', ${metadata}, 'created_at', ${createdAt}))).*
      FROM test_mode_intents AS intent WHERE id = ${intentOf(0)}`;
    const missing = sql`jsonb_build_object('order_id', gen_random_uuid())`;
    const ours = sql`jsonb_build_object('shop', (SELECT value FROM shop_facts WHERE name = 'shop-id')) || ${missing}`;
    const before = sql`now() - interval '1 year'`;
    const others = [sql`'{"order_id": "1042"}'::jsonb`, sql`${missing} || '{"shop": "another"}'`];
    expect(await namedAfter(copy(missing), ...others.map((metadata) => copy(metadata, before)))).toEqual([]);
    expect(await namedAfter(copy(ours))).toEqual(['I1']);
    expect(await namedAfter(copy(missing, before))).toEqual(['I1']);
  });

  it('have no fault for an order that is being changed during the check', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    await shop.deps.db
      .transaction()
      .execute(async (trx) => beginRefund(shop.deps, trx, await lockOrder(trx, orderId), { reason: 'Faulty' }));
    expect((await verify()).faults.map(({ invariant }) => invariant)).toEqual(['I1', 'I4', 'outcome']);
    const verified = verify(shop.deps.db, 60_000);
    await finishRefunds(shop.deps, orderId);
    expect((await (await openAdminOrders(shop)).page(orderId)).state).toBe('refunded');
    expect((await verified).faults).toEqual([]);
  });
});
