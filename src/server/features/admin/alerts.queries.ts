import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AlertKind } from '../../../shared/admin.ts';
import type { NoticeKind } from '../../../shared/notices.ts';
import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/item-cipher.ts';
import { type Database, firstRowOf, hasRow, rowOf, rowsOf } from '../../platform/database/database.ts';
import type { AlertRow } from '../../platform/database/tables.ts';
import { insertingNotices } from '../notices/notices.queries.ts';

const MAX_LISTED = 50;
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

type Subject = Pick<AlertRow, 'kind' | 'subject'>;

/** The kind of notice for a kind of alert; `alert` for all others. */
const noticeKinds: Partial<Record<AlertKind, NoticeKind>> = {
  'refund-failed': 'refund-failed',
  dispute: 'dispute',
  inquiry: 'dispute',
  'fraud-warning': 'dispute',
  'dispute-lost': 'dispute',
  'dispute-lost-in-part': 'dispute',
  'dispute-reversed': 'dispute',
};

/**
 * Inserts an alert with its notice. Returns false when an alert of this kind and subject is open or was acknowledged.
 * An alert that the shop itself has ended is raised again.
 */
export function insertAlert(db: Database, alert: Subject & Pick<AlertRow, 'order_id'>, now: Date): Promise<boolean> {
  const event = sql`SELECT ${noticeKinds[alert.kind] ?? 'alert'}::text AS kind, id || ' ' || raised_at AS subject,
    id AS about_id, NULL::integer AS units FROM raised`;
  return hasRow(db)`
    WITH raised AS (
      INSERT INTO alerts (id, kind, subject, order_id, raised_at)
      VALUES (${uuidv7()}, ${alert.kind}, ${alert.subject}, ${alert.order_id}, ${now})
      ON CONFLICT (kind, subject) DO UPDATE SET raised_at = excluded.raised_at, ended_at = NULL
        WHERE alerts.ended_at IS NOT NULL AND alerts.end_reason IS NULL
      RETURNING id, raised_at
    ), noticed AS (${insertingNotices(event, now)})
    SELECT id FROM raised`;
}

export const hasAlert = (db: Database, { kind, subject }: Subject) =>
  hasRow(db)`SELECT FROM alerts WHERE kind = ${kind} AND subject = ${subject}`;

/** Whether insertAlert has no effect, because such an alert is open or was acknowledged. */
export const isAlertRaised = (db: Database, { kind, subject }: Subject) => hasRow(db)`
  SELECT FROM alerts
  WHERE kind = ${kind} AND subject = ${subject} AND (ended_at IS NULL OR end_reason IS NOT NULL)`;

/** Whether a part of an order was refunded at the provider, and nobody has decided yet what it was for. */
export const hasUndecidedPart = (db: Database, orderId: string) =>
  hasRow(db)`SELECT FROM alerts WHERE kind = 'partial-refund' AND order_id = ${orderId} AND ended_at IS NULL`;

/** Lists the acknowledged alerts about such parts of an order, the latest first. */
export const listAcknowledgedParts = (db: Database, orderId: string) =>
  rowsOf<Pick<AlertRow, 'subject' | 'raised_at'>>(db)`
    SELECT subject, raised_at FROM alerts
    WHERE kind = 'partial-refund' AND order_id = ${orderId} AND end_reason IS NOT NULL ORDER BY raised_at DESC`;

/**
 * Lists the newest open alerts, newest first, each with the total number of open alerts, and with the name of the product
 * if its subject is the id of an item, of a file or of the product itself.
 */
export const listOpenAlerts = (db: Database) =>
  rowsOf<AlertRow & { open: number; product_name: string | null }>(db)`
    SELECT newest.*, products.name AS product_name
    FROM (
      SELECT *, (count(*) OVER ())::integer AS open,
        CASE WHEN kind IN ('unreadable-item', 'unreadable-file') AND subject ~ ${UUID} THEN subject::uuid END AS about
      FROM alerts WHERE ended_at IS NULL ORDER BY raised_at DESC LIMIT ${MAX_LISTED}
    ) AS newest
    LEFT JOIN items ON items.id = about
    LEFT JOIN product_files ON product_files.id = about
    LEFT JOIN products ON products.id = coalesce(items.product_id, product_files.product_id, about)
    ORDER BY raised_at DESC`;

export const listUnknownPayments = (db: Database) => rowsOf<Pick<AlertRow, 'id' | 'subject' | 'order_id'>>(db)`
  SELECT id, subject, order_id FROM alerts WHERE ended_at IS NULL AND kind = 'unknown-payment' ORDER BY raised_at`;

/** Ends an open alert and returns it; undefined when there is no such open alert. */
export const endAlert = (db: Database, id: string, now: Date, reason: string | null = null) =>
  firstRowOf<AlertRow>(db)`
    UPDATE alerts SET ended_at = ${now}, end_reason = ${reason} WHERE ended_at IS NULL AND id = ${id} RETURNING *`;

/** Ends the open alerts about a refund that was refused or failed (recordRefund). */
export const endAlertsOfRefund = (db: Database, refundId: string, now: Date, reason: string | null = null) =>
  sql`
    UPDATE alerts SET ended_at = ${now}, end_reason = ${reason}
    WHERE kind = 'refund-failed' AND ended_at IS NULL
      AND (subject = ${refundId} OR subject LIKE ${`${refundId}/%`})`.execute(db);

export const endAlertsOfOrder = (db: Database, orderId: string, kinds: readonly AlertKind[], now: Date) =>
  sql`
    UPDATE alerts SET ended_at = ${now}
    WHERE kind = ANY (${kinds}) AND order_id = ${orderId} AND ended_at IS NULL`.execute(db);

/** The shop's id, which is in the metadata of its payments, and the time of the first payments that have it. */
export interface ShopIdentity {
  id: string;
  since: Date;
}

export const getShopIdentity = (db: Database) => rowOf<ShopIdentity>(db)`
  SELECT value AS id, (SELECT value::timestamptz FROM shop_facts WHERE name = 'shop-id-since') AS since
  FROM shop_facts WHERE name = 'shop-id'`;

interface NewAlert {
  kind: AlertKind;
  subject: string;
  orderId?: string;
  message: string;
  /** Further fields of the log entry: only ids. */
  logged?: object;
}

/** Raises an alert on the dashboard and in the log, once for each kind and subject. */
export async function raiseAlert(deps: Pick<Deps, 'db' | 'clock' | 'log'>, alert: NewAlert): Promise<void> {
  const { kind, subject, orderId, message, logged } = alert;
  if (!(await insertAlert(deps.db, { kind, subject, order_id: orderId ?? null }, deps.clock.now()))) return;
  deps.log.error({ alert: kind, subject, ...(orderId !== undefined && { orderId }), ...logged }, message);
}

/** Decrypts a row; null for an altered one, which raises an alert, so that other rows stay readable. */
export async function decryptUnlessAltered<T>(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  alert: Omit<NewAlert, 'kind'>,
  decrypt: () => Promise<T>,
): Promise<T | null> {
  try {
    return await decrypt();
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error;
    await raiseAlert(deps, { ...alert, kind: 'unreadable-item' });
    return null;
  }
}
