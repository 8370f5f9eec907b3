import { formatPrice } from '../../../shared/currency.ts';
import { DIGEST_HOUR, noticeKindNames, noticeTitle, type OwnerNotice } from '../../../shared/notices.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { tryLockWork } from '../../platform/database/statements.ts';
import { enqueueMail, type MailContent, type MailContents } from '../mails/send-mail.ts';
import { insertNotice, takeStockFalls } from '../notices/notices.queries.ts';
import {
  claimDueNotices,
  type FullNotice,
  insertNoticeMail,
  listNoticesOfMail,
  listRecipients,
  type Recipient,
} from './notifications.queries.ts';

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
    await insertNoticeMail(trx, { mail_id: mailId, notice_ids: ids });
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
    // A mail may wait for days. By then the recipient may no longer be an administrator, or may have switched notices
    // off.
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
    return `${noticeKindNames[kind]} (${ofKind.length}${sum}): ${[...named, ...more].join('; ')}.`;
  });
}
