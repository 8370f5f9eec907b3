import { type RawBuilder, sql } from 'kysely';
import type { BodyOf, SearchOf } from '../../../shared/api.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import {
  DIGEST_HOUR,
  type NoticeSettings,
  noticeKindNames,
  noticeTitle,
  type OwnerNotice,
} from '../../../shared/notices.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { type Database, hasRow, rowsOf, type Transaction, tryLockWork } from '../../platform/database/database.ts';
import { anyContains, newestFirst, onePage, placeOf, readCountedPage } from '../../platform/database/list-queries.ts';
import type { NoticeRow, OrderRow, ProductRow, Tables } from '../../platform/database/tables.ts';
import { enqueueMail, type MailContent, type MailContents } from '../mails/send-mail.ts';
import { insertNotice, takeStockFalls } from '../notices/notices.queries.ts';
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

type NoticeFilter = SearchOf<'GET /admin/notices'>;

/** The notices of a list; with a search they are joined with their subjects. */
const listed = ({ unread, q }: NoticeFilter) => sql`
  FROM notices ${q ? subjects : sql``}
  WHERE ${unread ? sql`notices.read_at IS NULL` : sql`true`}
    AND ${q ? anyContains([sql`products.name`, numberOf('orders.id')], q) : sql`true`}`;

const newest = newestFirst('notices');

export function listNotices(db: Database, filter: NoticeFilter) {
  const onPage = sql`SELECT notices.*, ${placeOf(newest)} ${listed(filter)} ${onePage(newest, filter)}`;
  return readCountedPage<FullNotice>(db, { page: withSubjects(onPage), all: sql`SELECT ${listed(filter)}` }, filter);
}

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
function claimDueNotices(trx: Transaction, { now, limit }: { now: Date; limit: number }) {
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

const listNoticesOfMail = (trx: Transaction, mailId: string) =>
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

const MAX_MAILED = 100;

/**
 * Writes notices about products that have become low or sold out since the last run, and mails the notices that are
 * due. One process at a time. This is not done in the transaction of a purchase, because exact counts there would make
 * buyers wait for each other. Returns true when there may be more to mail.
 */
export const notifyOwner = (deps: Pick<Deps, 'db' | 'clock' | 'jobs'>): Promise<boolean> =>
  deps.db.transaction().execute(async (trx) => {
    if (!(await tryLockWork(trx, 'notices'))) return false;
    const now = deps.clock.now();
    for (const { id, units, level } of await takeStockFalls(trx)) {
      const kind = level === 0 ? 'sold-out' : 'low-stock';
      await insertNotice(trx, { kind, subject: `${id} at ${now.toISOString()}`, aboutId: id, units }, now);
    }
    const due = await claimDueNotices(trx, { now, limit: MAX_MAILED });
    const single = due.filter(({ mailed_as }) => mailed_as === 'each').map(({ id }) => [id]);
    const digest = due.filter(({ mailed_as }) => mailed_as === 'digest').map(({ id }) => id);
    for (const ids of digest.length > 0 ? [...single, digest] : single) await mailNotices(deps, trx, ids);
    return single.length === MAX_MAILED;
  });

async function mailNotices(deps: Pick<Deps, 'clock' | 'jobs'>, trx: Transaction, ids: string[]): Promise<void> {
  for (const { _id: userId, email: recipient, isMailed } of await listRecipients(trx)) {
    if (!isMailed) continue;
    const mailId = await enqueueMail(deps, trx, { kind: 'notices', recipient, userId });
    await trx.insertInto('notice_mails').values({ mail_id: mailId, notice_ids: ids }).execute();
  }
}

export const presentNotice = (notice: FullNotice): OwnerNotice => ({
  _id: notice.id,
  kind: notice.kind,
  createdAt: notice.created_at.toISOString(),
  isRead: notice.read_at !== null,
  order:
    notice.order_id === null || notice.total_cents === null
      ? null
      : { _id: notice.order_id, total: toDollars(notice.total_cents) },
  product: notice.product && { _id: notice.product.id, kind: notice.product.kind, name: notice.product.name },
  report: notice.report_id,
  alert: notice.alert,
  units: notice.units,
});

export const noticeMails = {
  notices: async ({ config }, trx, mail) => {
    // A mail may wait for days: the recipient may no longer be an administrator, or may have switched notices off.
    const isStillNotified = ({ _id, email, isMailed }: Recipient) =>
      _id === mail.user_id && email === mail.recipient && isMailed;
    if (!(await listRecipients(trx)).some(isStillNotified)) return undefined;
    const notices = await listNoticesOfMail(trx, mail.id);
    const [first] = notices.map(presentNotice);
    if (!first) return undefined;
    const what = notices.length === 1 ? noticeTitle(first) : `${notices.length} notices`;
    return {
      subject: what,
      heading: what,
      paragraphs: notices.length === 1 ? [`This happened at ${config.storeName}.`] : digestOf(notices),
      action: {
        label: 'Open the dashboard',
        url: `${config.publicUrl}/admin?tab=notifications`,
        note: `There you can choose which notices are mailed at once or each day at ${DIGEST_HOUR}:00 (GMT+8), and to whom.`,
      },
    };
  },
} satisfies Partial<MailContents>;

const MAX_NAMED = 30;

function digestOf(notices: FullNotice[]): MailContent['paragraphs'] {
  return [...Map.groupBy(notices, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const named = ofKind.slice(0, MAX_NAMED).map((notice) => noticeTitle(presentNotice(notice)));
    const more = ofKind.length > MAX_NAMED ? [`${ofKind.length - MAX_NAMED} more`] : [];
    const cents = ofKind.reduce((sum, { total_cents }) => sum + (total_cents ?? 0), 0);
    const sum = kind === 'new-order' ? `, ${formatPrice(cents)} in all` : '';
    return [`${noticeKindNames[kind]} (${ofKind.length}${sum}):`, ...named, ...more].join('\n');
  });
}
