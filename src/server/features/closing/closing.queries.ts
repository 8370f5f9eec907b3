import { sql } from 'kysely';
import { type Database, firstRowOf, hasRow, type Transaction } from '../../platform/database/open-database.ts';
import type { ClosedRow } from '../../platform/database/tables.ts';

/** A column for statements of the checkout: the message to buyers while the shop is closed, null while it is open. */
export const closedMessage = sql<string | null>`(SELECT message FROM shop_closed)`;

/** Undefined while the shop is open. */
export const findClosed = (db: Database) => firstRowOf<ClosedRow>(db)`SELECT since, reason, message FROM shop_closed`;

/** Closes the shop. If it is closed already, `since` is kept. */
export const putClosed = (trx: Transaction, { since, reason, message }: ClosedRow) =>
  sql`
    INSERT INTO shop_closed (since, reason, message) VALUES (${since}, ${reason}, ${message})
    ON CONFLICT (is_only) DO UPDATE SET reason = excluded.reason, message = excluded.message`.execute(trx);

/** Opens the shop. Returns false when it was open. */
export const deleteClosed = (trx: Transaction) => hasRow(trx)`DELETE FROM shop_closed RETURNING since`;
