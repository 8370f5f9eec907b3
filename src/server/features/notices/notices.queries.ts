import { type RawBuilder, sql } from 'kysely';
import type { NoticeKind } from '../../../shared/notices.ts';
import { type Database, rowsOf, type Transaction } from '../../platform/database/database.ts';

/**
 * Inserts a notice for each row of `events` (kind, subject, about_id, units) whose kind is not off, once for each kind
 * and subject. For use in the statement or transaction that makes the event.
 */
export const insertingNotices = (events: RawBuilder<unknown>, now: Date) => sql`
  INSERT INTO notices (id, kind, subject, about_id, units, created_at, mailed_as)
  SELECT gen_random_uuid(), events.kind, subject, about_id, units, ${now}::timestamptz,
    CASE WHEN delivery <> 'dashboard' THEN delivery END
  FROM (${events}) AS events JOIN notice_settings ON notice_settings.kind = events.kind AND delivery <> 'off'
  ON CONFLICT (kind, subject) DO NOTHING`;

interface NoticeEvent {
  kind: NoticeKind;
  subject: string;
  aboutId: string;
  units?: number;
}

export async function insertNotice(db: Database, event: NoticeEvent, now: Date): Promise<void> {
  const { kind, subject, aboutId, units = null } = event;
  const row = sql`SELECT ${kind}::text AS kind, ${subject}::text AS subject, ${aboutId}::uuid AS about_id,
    ${units}::integer AS units`;
  await insertingNotices(row, now).execute(db);
}

/** Inserts a notice about a mail that was given up, unless that mail itself contains notices. */
export async function insertMailFailure(db: Database, mailId: string, now: Date): Promise<void> {
  const mail = sql`SELECT 'mail-failed' AS kind, id::text AS subject, id AS about_id, NULL::integer AS units
    FROM mails WHERE id = ${mailId} AND kind <> 'notices' AND sent_at IS NULL`;
  await insertingNotices(mail, now).execute(db);
}

// Units that no paid order has. Units of unpaid orders are not sold yet, so an abandoned order crosses no threshold.
// Reads at most `low_stock` + 1 available items of a product, even if it has a million.
const unitsLeft = sql`(CASE WHEN delivery = 'unique' THEN
    (SELECT count(*) FROM (
      SELECT FROM items WHERE product_id = products.id AND state = 'available' LIMIT low_stock + 1) AS on_sale)
    + (SELECT count(*) FROM items WHERE product_id = products.id AND state = 'held')
  ELSE stock + (
    SELECT coalesce(sum(counted_units), 0) FROM order_lines WHERE product_id = products.id AND counted_state = 'held')
  END)::integer`;

/** The level of each active product that can run out: 0 sold out, 1 low, 2 enough. */
const measured = (products: RawBuilder<unknown>) => sql`
  SELECT id, units, CASE WHEN units = 0 THEN 0 WHEN units <= low_stock THEN 1 ELSE 2 END AS level
  FROM (SELECT id, low_stock, ${unitsLeft} AS units FROM products
    WHERE is_active AND (delivery = 'unique' OR stock IS NOT NULL) AND ${products}) AS counted`;

/**
 * Stores a raised level in the transaction that raised the stock. So a product that sells out again before the next
 * check is reported again.
 */
export const noteRaisedStock = (trx: Transaction, productId: string) =>
  sql`
    INSERT INTO stock_levels (product_id, level) SELECT id, level FROM (${measured(sql`id = ${productId}`)}) AS measured
    ON CONFLICT (product_id) DO UPDATE SET level = EXCLUDED.level
    WHERE stock_levels.level < EXCLUDED.level`.execute(trx);

/**
 * Compares every product's stock with its stored level, stores the new level, and returns the products whose level
 * fell. A product without a stored level has not fallen. The caller must have locked the notices, so that no concurrent
 * call counts with an older snapshot.
 */
export const takeStockFalls = (trx: Transaction) => rowsOf<{ id: string; units: number; level: 0 | 1 }>(trx)`
  WITH changed AS MATERIALIZED (
    SELECT id, units, measured.level, known.level AS was
    FROM (${measured(sql`true`)}) AS measured LEFT JOIN stock_levels AS known ON product_id = id
    WHERE known.level IS DISTINCT FROM measured.level
  ), kept AS (
    INSERT INTO stock_levels (product_id, level) SELECT id, level FROM changed ORDER BY id
    ON CONFLICT (product_id) DO UPDATE SET level = EXCLUDED.level
  )
  SELECT id, units, level FROM changed WHERE level < was`;
