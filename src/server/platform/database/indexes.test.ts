import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';

const { db } = await openTestDatabase({ maxConnections: 1 });

test.each([
  // Queried by the count of best sellers, for each line of the last 90 days, and by reports.
  ['what was refunded of a line', 'refund_lines', 'order_line_id'],
  // Queried for each order that an administrator opens, however long the log has become.
  ['what was done to an order', 'audit_log', 'subject_id'],
  // Queried by each view of the dashboard, which counts the pending ones.
  ['the reviews of a state', 'reviews', 'state'],
  // Queried every ten minutes by each process, to compare disputed payments with the provider.
  ['the disputed orders', 'orders', 'disputed_at'],
])('an index serves the lookup of %s', async (_what, table, column) => {
  const { rows } = await sql`
    SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = ${table}::regclass AND attname = ${column}`.execute(db);
  expect(rows.length).toBe(1);
});
