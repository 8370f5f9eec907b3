import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import { daysBefore } from '../../platform/database/remove-ended-rows.ts';

/** A picture is removed after so many days in which nothing showed it. */
export const PICTURE_UNUSED_DAYS = 30;
const BATCH = 20;

const isShown = sql`(
  EXISTS (SELECT FROM products WHERE image_id(products.image) = images.id)
  OR EXISTS (SELECT FROM order_lines WHERE image LIKE '%/images/%' AND image_id(order_lines.image) = images.id))`;

/**
 * Marks uploaded pictures that no product and no order shows, takes the mark off those that are shown again, and removes
 * what was marked for 30 days; true when there may be more. Orders take their pictures from products, so an order that is
 * being written shows none that was marked that long ago. Products are locked while pictures are removed, so that one that
 * is being saved with such a picture keeps it.
 */
export function removeUnusedPictures(db: Database, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ locked: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtext('unused pictures')) AS locked`.execute(trx);
    if (!rows[0]?.locked) return false;
    await sql`UPDATE images SET unused_since = NULL WHERE unused_since IS NOT NULL AND ${isShown}`.execute(
      trx,
    );
    await sql`UPDATE images SET unused_since = ${now} WHERE unused_since IS NULL AND NOT ${isShown}`.execute(
      trx,
    );
    const isOver = sql`unused_since <= ${daysBefore(now, PICTURE_UNUSED_DAYS)}`;
    const over = await sql`SELECT FROM images WHERE ${isOver} LIMIT 1`.execute(trx);
    if (over.rows.length === 0) return false;
    // Buyers must not wait for long: a lock that is not to be had now is taken next time.
    await sql`SET LOCAL lock_timeout = '200ms'`.execute(trx);
    await sql`LOCK TABLE products IN SHARE MODE`.execute(trx);
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM images WHERE id IN (
        SELECT id FROM images WHERE ${isOver} AND NOT ${isShown} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`.execute(
      trx,
    );
    return numAffectedRows === BigInt(BATCH);
  });
}
