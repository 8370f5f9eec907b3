import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { daysBefore } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import { type Database, fieldOf, hasRow, tryLockWork } from '../../platform/database/database.ts';
import { mailFolder } from '../../platform/mail/mail-transport.ts';
import { unlessMissing } from '../../platform/system-errors.ts';
import { purposes } from '../accounts/accounts.queries.ts';

interface RetentionRule {
  table: string;
  /** In words, as in docs/operations.md. */
  kept: string;
  isOver: (now: Date) => RawBuilder<unknown>;
  /** Common table expressions of the same statement that first delete the rows referring to `ended (id)`. */
  removeFirst?: RawBuilder<unknown>;
}

const daysAfter =
  (column: string, days: number, also = sql``) =>
  (now: Date) =>
    sql`${sql.ref(column)} <= ${daysBefore(now, days)} ${also}`;

/**
 * Every table whose rows are removed, and when, as in docs/operations.md. Every other table has a COMMENT in the
 * database that says how long its rows are kept.
 */
export const retentionRules: readonly RetentionRule[] = [
  {
    table: 'sessions',
    kept: '30 days after they expired or were ended',
    isOver: (now) => sql`least(expires_at, revoked_at) <= ${daysBefore(now, 30)}`,
  },
  { table: 'devices', kept: 'a year after the last login on them', isOver: daysAfter('expires_at', 0) },
  {
    // Deletes the mail of a code, too (ON DELETE CASCADE): anybody may request codes for an order.
    table: 'verifications',
    kept: '7 days after they expired; a login 15 minutes, as long as wrong codes count, and an order lookup a day',
    isOver: (now) =>
      sql.join(
        Object.entries(purposes).map(
          ([purpose, { keptMs }]) => sql`(purpose = ${purpose} AND expires_at <= ${new Date(now.getTime() - keptMs)})`,
        ),
        sql` OR `,
      ),
  },
  // Longer than a confirmation link is valid, unless its mail took over a day: isEmailWanted then rejects it.
  { table: 'email_changes', kept: '2 days', isOver: daysAfter('asked_at', 2) },
  // Stripe resends an event for three days, and on request for thirty.
  { table: 'webhook_events', kept: '30 days', isOver: daysAfter('finished_at', 30) },
  {
    table: 'mails',
    kept: 'a year with an order, whose page lists them; others 30 days',
    isOver: (now) => sql`
      created_at <= ${daysBefore(now, 30)} AND (order_id IS NULL OR created_at <= ${daysBefore(now, 365)})`,
  },
  {
    table: 'orders',
    kept: 'for ever, but cancelled unpaid: a year, and 30 days if abandoned, which no list or sum has',
    isOver: (now) => sql`
      cancelled_at <= ${daysBefore(now, 30)} AND paid_at IS NULL AND state = 'cancelled'
      AND (cancelled_at <= ${daysBefore(now, 365)} OR cancel_reason = 'abandoned')
      AND NOT EXISTS (SELECT FROM refunds WHERE order_id = orders.id)
      AND NOT EXISTS (SELECT FROM reveals WHERE order_id = orders.id)
      AND NOT EXISTS (SELECT FROM order_lines JOIN items ON items.order_line_id = order_lines.id WHERE order_id = orders.id)`,
    // The units that a removed order took from the stock were all returned to it, so the sum of the ledger stays.
    removeFirst: sql`
      removed_changes AS (DELETE FROM stock_changes WHERE order_line_id IN (
        SELECT order_lines.id FROM order_lines JOIN ended ON ended.id = order_id
          JOIN stock_changes ON order_line_id = order_lines.id GROUP BY order_lines.id HAVING sum(units) = 0)),
      removed_verifications AS (DELETE FROM verifications WHERE order_id IN (SELECT id FROM ended)),
      removed_mails AS (DELETE FROM mails WHERE order_id IN (SELECT id FROM ended))`,
  },
  {
    table: 'product_files',
    kept: 'for ever, but not published: a day',
    isOver: daysAfter('created_at', 1, sql`AND published_at IS NULL`),
  },
  {
    // A running download continues with the version that it began with.
    table: 'file_chunks',
    kept: 'with their version, until 2 days after the next version was published',
    isOver: (now) => sql`file_id IN (SELECT id FROM product_files WHERE superseded_at <= ${daysBefore(now, 2)})`,
  },
  { table: 'report_pictures', kept: 'a year; their messages stay', isOver: daysAfter('at', 365) },
  { table: 'notices', kept: '90 days', isOver: daysAfter('created_at', 90) },
  {
    // An administrator's decision about an order is kept as long as the order: a partial refund acknowledged as given
    // for something else must never count for a refund of the shop.
    table: 'alerts',
    kept: 'a year after they ended; for ever, if an administrator has acknowledged one about an order',
    isOver: daysAfter('ended_at', 365, sql`AND (order_id IS NULL OR end_reason IS NULL)`),
  },
  {
    table: 'rate_counts',
    kept: 'the time of their limit, at most a day',
    isOver: (now) => sql`expire < ${now.getTime()}`,
  },
  { table: 'rate_waits', kept: 'the time of their limit, at most an hour', isOver: daysAfter('expires_at', 0) },
  // The provider reports a decline again for three days.
  { table: 'declines', kept: '7 days', isOver: daysAfter('at', 7) },
  // The built-in provider keeps captured payments and their refunds for ever. Stripe may forget a key after a day.
  { table: 'test_mode_idempotency_keys', kept: '7 days', isOver: daysAfter('created_at', 7) },
  // As long as Stripe tries to deliver an event.
  { table: 'test_mode_events', kept: 'until they are delivered, at most 3 days', isOver: daysAfter('created_at', 3) },
  {
    table: 'test_mode_intents',
    kept: 'for ever, but canceled: 90 days',
    isOver: daysAfter('canceled_at', 90, sql`AND status = 'canceled'`),
    removeFirst: sql`removed_releases AS (DELETE FROM test_mode_refunds WHERE intent_id IN (SELECT id FROM ended))`,
  },
];

const ROWS_AT_ONCE = 500;

/**
 * Deletes a batch of the rows of each table whose retention has ended, except locked ones. Returns true when there may
 * be more. If a table fails, the others are still processed; the error at the end names it.
 */
export async function removeEndedRows(db: Database, now: Date, rules = retentionRules): Promise<boolean> {
  let more = false;
  const failures: { table: string; cause: unknown }[] = [];
  for (const rule of rules) {
    try {
      more = (await removeBatch(db, rule, now)) === ROWS_AT_ONCE || more;
    } catch (cause) {
      failures.push({ table: rule.table, cause });
    }
  }
  const [first] = failures;
  if (!first) return more;
  // The database is away.
  if (failures.length === rules.length) throw first.cause;
  const tables = failures.map(({ table }) => table).join(', ');
  throw new Error(`Ended rows could not be removed: ${tables}`, { cause: first.cause });
}

async function removeBatch(db: Database, { table, isOver, removeFirst }: RetentionRule, now: Date): Promise<number> {
  const name = sql.table(table);
  return fieldOf<number>(db)`
    WITH ended AS MATERIALIZED (
      SELECT ctid${removeFirst ? sql`, id` : sql``} FROM ${name} WHERE ${isOver(now)} LIMIT ${ROWS_AT_ONCE}
      FOR UPDATE SKIP LOCKED
    )${removeFirst ? sql`, ${removeFirst}` : sql``}, removed AS (
      DELETE FROM ${name} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ended)) RETURNING 1
    ) SELECT count(*)::integer FROM removed`;
}

/** Days until a picture that no product and no order shows is removed. */
export const PICTURE_UNUSED_DAYS = 30;
const PICTURES_AT_ONCE = 20;

const isShown = sql`(
  EXISTS (SELECT FROM products, unnest(image || more_images) AS picture WHERE image_id(picture) = images.id)
  OR EXISTS (SELECT FROM order_lines WHERE image LIKE '%/images/%' AND image_id(order_lines.image) = images.id))`;

/**
 * Marks pictures that no product and no order shows, unmarks pictures that are shown again, and removes pictures marked
 * for 30 days. Returns true when there may be more. Locks the table of products, so that no product is saved with a
 * picture that is being removed.
 */
export const removeUnusedPictures = (db: Database, now: Date): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    if (!(await tryLockWork(trx, 'unused pictures'))) return false;
    await sql`UPDATE images SET unused_since = NULL WHERE unused_since IS NOT NULL AND ${isShown}`.execute(trx);
    await sql`UPDATE images SET unused_since = ${now} WHERE unused_since IS NULL AND NOT ${isShown}`.execute(trx);
    const isOver = sql`unused_since <= ${daysBefore(now, PICTURE_UNUSED_DAYS)}`;
    if (!(await hasRow(trx)`SELECT FROM images WHERE ${isOver} LIMIT 1`)) return false;
    // Buyers must not wait for long: if the lock is not free, the next run tries again.
    await sql`SET LOCAL lock_timeout = '200ms'`.execute(trx);
    await sql`LOCK TABLE products IN SHARE MODE`.execute(trx);
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM images WHERE id IN (
        SELECT id FROM images WHERE ${isOver} AND NOT ${isShown}
        LIMIT ${PICTURES_AT_ONCE} FOR UPDATE SKIP LOCKED)`.execute(trx);
    return numAffectedRows === BigInt(PICTURES_AT_ONCE);
  });

export const MAIL_FILE_DAYS = 30;
export const POSTGRES_LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** Removes old mail files from the data folder, and truncates the log of the embedded database. */
export async function removeOldFiles({ config, clock }: Pick<Deps, 'config' | 'clock'>): Promise<void> {
  const folder = mailFolder(config.dataDir);
  const before = daysBefore(clock.now(), MAIL_FILE_DAYS);
  for (const name of (await readdir(folder).catch(unlessMissing)) ?? []) {
    const file = join(folder, name);
    const found = await statOf(file);
    // Another process may have removed it first.
    if (found && found.mtime <= before) await rm(file, { force: true });
  }
  if (config.databaseUrl !== undefined) return;
  // PostgreSQL appends to the log, so it continues at the new end.
  const log = join(config.dataDir, 'postgres.log');
  if (((await statOf(log))?.size ?? 0) > POSTGRES_LOG_LIMIT_BYTES) await truncate(log);
}

const statOf = (file: string) => stat(file).catch(unlessMissing);
