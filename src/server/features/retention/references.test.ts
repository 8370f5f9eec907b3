import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../../test/database.ts';
import { rowsOf } from '../../platform/database/database.ts';
import { DatabaseUnavailable } from '../../platform/database/database-errors.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { removeEndedRows, retentionRules } from './retention.ts';

const { db } = await openTestDatabase();

const ORDER = '00000000-0000-4000-8000-000000000001';
const endAll = () => removeEndedRows(db, new Date('2027-03-01T12:00:00Z'));
const count = async (table: string) => (await rowsOf(db)`SELECT FROM ${sql.table(table)}`).length;

/** An order whose buyer left, of which all is over. */
const insertAbandonedOrder = () =>
  sql`
    INSERT INTO orders (id, type, state, cancel_reason, contact_email, guest, items_cents, tax_cents, total_cents,
      created_at, hold_expires_at, cancelled_at)
    VALUES (${ORDER}, 'digital', 'cancelled', 'abandoned', 'a@example.com', true, 100, 0, 100,
      '2025-06-01', '2025-06-01', '2025-06-01')`.execute(db);

test('the claims on an unpaid order and on a canceled payment are removed with them, as are its refunds', async () => {
  await insertAbandonedOrder();
  await sql`INSERT INTO order_freezes (id, order_id, cause, frozen_at)
    VALUES ('restore/1', ${ORDER}, 'restore', '2025-06-01')`.execute(db);
  await sql`
    INSERT INTO test_mode_intents (id, client_secret, status, version, amount_cents, captured_cents, refunded_cents,
      currency, metadata, created_at, canceled_at)
    VALUES ('pi_1', '', 'canceled', 1, 1, 0, 0, 'usd', '{}', '2025-06-01', '2025-06-01')`.execute(db);
  await sql`INSERT INTO test_mode_claims VALUES ('issfr_1', 'pi_1', 'warning', 'lost', '2025-06-01')`.execute(db);
  await sql`INSERT INTO test_mode_refunds (id, intent_id, amount_cents, created_at)
    VALUES ('re_1', 'pi_1', 1, '2025-06-01')`.execute(db);
  await endAll();
  const tables = ['orders', 'order_freezes', 'test_mode_intents', 'test_mode_claims', 'test_mode_refunds'];
  expect(await Promise.all(tables.map(count))).toEqual([0, 0, 0, 0, 0]);
});

test('only references that a removed row never has, or that are removed first, could block the removal', async () => {
  const rows = await rowsOf<{ removed: string; by: string[] }>(db)`
    WITH RECURSIVE removed (oid) AS (
      SELECT name::regclass::oid FROM unnest(${retentionRules.map(({ table }) => table)}::text[]) AS name
      UNION SELECT conrelid FROM pg_constraint JOIN removed ON confrelid = removed.oid WHERE confdeltype = 'c'
    )
    SELECT confrelid::regclass::text AS removed, array_agg(conrelid::regclass::text ORDER BY conrelid::regclass::text) AS by
    FROM pg_constraint
    WHERE contype = 'f' AND confdeltype IN ('a', 'r') AND confrelid IN (SELECT oid FROM removed)
    GROUP BY confrelid`;
  const ofPaidOrders = ['cancellations', 'parcels', 'problem_reports', 'receipts'];
  const asked = ['refunds', 'reveals'];
  const removedFirst = ['mails', 'verifications'];
  expect(Object.fromEntries(rows.map(({ removed, by }) => [removed, by]))).toEqual({
    orders: [...ofPaidOrders, ...asked, ...removedFirst].sort(),
    order_lines: ['items', 'parcel_lines', 'refund_lines', 'reviews'],
    // Only versions that were never published are removed.
    product_files: ['download_grants', 'mails'],
    test_mode_intents: ['test_mode_refunds'],
  });
});

test('a table whose rows cannot be removed is named in the error, and the other tables are cleared', async () => {
  await insertAbandonedOrder();
  await sql`CREATE TABLE holder AS SELECT id FROM orders`.execute(db);
  await sql`ALTER TABLE holder ADD FOREIGN KEY (id) REFERENCES orders`.execute(db);
  await sql`INSERT INTO rate_counts VALUES ('ended', 1, 0)`.execute(db);
  await expect(endAll()).rejects.toThrow('orders');
  expect(await Promise.all(['orders', 'rate_counts'].map(count))).toEqual([1, 0]);
});

test('while the database is away, the error says so, and names no table', async () => {
  const lost = await createTestDatabase();
  const away = openDatabase(lost.connectionString);
  await lost.drop();
  await expect(removeEndedRows(away, new Date())).rejects.toThrow(DatabaseUnavailable);
  await away.destroy();
});
