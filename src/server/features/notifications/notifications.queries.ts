import { type RawBuilder, sql } from 'kysely';
import type { BodyOf } from '../../../shared/api.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import { DIGEST_HOUR, type NoticeSettings } from '../../../shared/notices.ts';
import type { Counted } from '../../../shared/paging.ts';
import { anyContains, countUpTo, onePageSql, type PageStart, placeOf } from '../../platform/database/list-queries.ts';
import { type Database, hasRow, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { NoticeRow, OrderRow, ProductRow, Tables } from '../../platform/database/tables.ts';
import { numberOf } from '../orders/orders.queries.ts';

/** A notice with its subject, as far as that still exists. */
export interface FullNotice extends NoticeRow {
  order_id: OrderRow['id'] | null;
  total_cents: OrderRow['total_cents'] | null;
  product: Pick<ProductRow, 'id' | 'kind' | 'name'> | null;
  report_id: string | null;
  alert: Tables['alerts']['kind'] | null;
}

const subjects = sql`
  LEFT JOIN products ON products.id = about_id
  LEFT JOIN problem_reports ON problem_reports.id = about_id
  LEFT JOIN alerts ON alerts.id = about_id
  LEFT JOIN mails ON mails.id = about_id
  LEFT JOIN orders ON orders.id = coalesce(problem_reports.order_id, alerts.order_id, mails.order_id, about_id)`;

const withSubjects = (notices: RawBuilder<unknown>) => sql`
  SELECT notices.*, orders.id AS order_id, orders.total_cents, problem_reports.id AS report_id, alerts.kind AS alert,
    CASE WHEN products.id IS NOT NULL
      THEN json_build_object('id', products.id, 'kind', products.kind, 'name', products.name) END AS product
  FROM (${notices}) AS notices ${subjects}
  ORDER BY notices.created_at DESC, notices.id DESC`;

type NoticeFilter = { unread: boolean; q?: string | undefined };

/** The notices of a list; with a search they are joined with their subjects. */
const listed = ({ unread, q }: NoticeFilter) => sql`
  FROM notices ${q ? subjects : sql``}
  WHERE ${unread ? sql`notices.read_at IS NULL` : sql`true`}
    AND ${q ? anyContains([sql`products.name`, numberOf('orders.id')], q) : sql`true`}`;

export function listNotices(db: Database, filter: NoticeFilter & PageStart) {
  const onPage = sql`SELECT notices.*, ${placeOf('notices')} ${listed(filter)} ${onePageSql('notices', filter)}`;
  return rowsOf<FullNotice & { place: string[] }>(db)`${withSubjects(onPage)}`;
}

export const countNotices = (db: Database, filter: NoticeFilter): Promise<Counted> =>
  countUpTo(db, sql`SELECT ${listed(filter)}`);

/** Marks a notice, and with `older` also all earlier notices, as read. Returns false when there is no such notice. */
export const markRead = (db: Database, id: string, { older, now }: { older: boolean; now: Date }) => hasRow(db)`
    WITH known AS (SELECT id, created_at FROM notices WHERE id = ${id}),
    marked AS (
      UPDATE notices SET read_at = ${now} FROM known
      WHERE read_at IS NULL AND (notices.id = known.id
        OR (${older} AND (notices.created_at, notices.id) < (known.created_at, known.id)))
    )
    SELECT FROM known`;

const zone = sql.lit(SHOP_TIME_ZONE);
const hour = sql.lit(`${DIGEST_HOUR} hours`);

/**
 * Marks and returns the notices whose mail is due: up to `limit` single notices, oldest first, and all notices for the
 * digest once one of them is older than the last digest hour.
 */
export function claimDueNotices(trx: Transaction, { now, limit }: { now: Date; limit: number }) {
  const digestAt = sql`(date_trunc('day', ${now}::timestamptz AT TIME ZONE ${zone} - interval ${hour}) + interval ${hour})
    AT TIME ZONE ${zone}`;
  const unmailed = sql`mailed_as IS NOT NULL AND mailed_at IS NULL`;
  return rowsOf<Pick<NoticeRow, 'id' | 'mailed_as'>>(trx)`
    WITH due AS (
      (SELECT id FROM notices WHERE ${unmailed} AND mailed_as = 'each' ORDER BY created_at LIMIT ${limit})
      UNION ALL
      SELECT id FROM notices WHERE ${unmailed} AND mailed_as = 'digest' AND EXISTS (
        SELECT FROM notices WHERE ${unmailed} AND mailed_as = 'digest' AND created_at < ${digestAt})
    )
    UPDATE notices SET mailed_at = ${now} FROM due WHERE notices.id = due.id RETURNING notices.id, mailed_as`;
}

export const insertNoticeMail = (trx: Transaction, mail: Tables['notice_mails']) =>
  trx.insertInto('notice_mails').values(mail).execute();

export const listNoticesOfMail = (trx: Transaction, mailId: string) =>
  rowsOf<FullNotice>(trx)`${withSubjects(
    sql`SELECT notices.* FROM notices JOIN notice_mails ON notices.id = ANY (notice_ids) WHERE mail_id = ${mailId}`,
  )}`;

export type Recipient = NoticeSettings['recipients'][number];

export const listRecipients = (db: Database) => rowsOf<Recipient>(db)`
  SELECT id AS _id, name, email, NOT EXISTS (SELECT FROM notice_mutes WHERE user_id = users.id) AS "isMailed"
  FROM users WHERE role = 'admin' AND blocked_at IS NULL ORDER BY created_at, id`;

export const listDeliveries = (db: Database) => db.selectFrom('notice_settings').selectAll().orderBy('kind').execute();

export const lockSettings = (trx: Transaction) =>
  sql`SELECT FROM notice_settings ORDER BY kind FOR UPDATE`.execute(trx);

export type ChosenSettings = BodyOf<'PUT /admin/notice-settings'>;

export async function saveSettings(trx: Transaction, { deliveries, recipients }: ChosenSettings): Promise<void> {
  await sql`
    UPDATE notice_settings SET delivery = chosen.value, version = version + 1
    FROM jsonb_each_text(${JSON.stringify(deliveries)}::jsonb) AS chosen
    WHERE kind = chosen.key`.execute(trx);
  const idsOf = (isMailed: boolean) => recipients.filter((one) => one.isMailed === isMailed).map(({ _id }) => _id);
  await sql`DELETE FROM notice_mutes WHERE user_id = ANY (${idsOf(true)}::uuid[])`.execute(trx);
  await sql`
    INSERT INTO notice_mutes (user_id)
    SELECT id FROM users WHERE role = 'admin' AND id = ANY (${idsOf(false)}::uuid[])
    ON CONFLICT DO NOTHING`.execute(trx);
}
