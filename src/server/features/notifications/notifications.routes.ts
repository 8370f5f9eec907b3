import { AppError, orNotFound } from '../../../shared/errors.ts';
import { type NoticeKind, type NoticeSettings, noticeKindNames } from '../../../shared/notices.ts';
import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { endAlert, listOpenAlerts } from '../admin/alerts.queries.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { maskTyped } from '../inventory/mask-secrets.ts';
import {
  type ChosenSettings,
  listDeliveries,
  listNotices,
  listRecipients,
  lockSettings,
  markRead,
  presentNotice,
  saveSettings,
} from './notifications.ts';

export function notificationsRoutes(route: Route, deps: Deps): void {
  const { db, clock } = deps;

  route('GET /admin/alerts', async () => {
    const alerts = await listOpenAlerts(db);
    const data = alerts.map((alert) => ({
      _id: alert.id,
      kind: alert.kind,
      subject: alert.subject,
      orderId: alert.order_id,
      product: alert.product_name,
      raisedAt: alert.raised_at.toISOString(),
    }));
    return { data, more: (alerts[0]?.open ?? 0) - alerts.length };
  });

  route('POST /admin/alerts/:id/acknowledge', async ({ params: { id }, body, actor }) => {
    const reason = await maskTyped(deps, actor, body.reason);
    await db.transaction().execute(async (trx) => {
      const alert = orNotFound(await endAlert(trx, id, clock.now(), reason), 'This was acknowledged or has ended');
      const entry = { action: 'alert.acknowledged', subject: { type: 'alert', id } } as const;
      const summary = `Acknowledged ${alert.kind} of ${alert.subject}: ${reason}`;
      await writeAudit(deps, trx, { actor, ...entry, summary });
    });
  });

  route('GET /admin/notices', async ({ query }) => {
    const { rows, ...page } = await listNotices(db, query);
    return { data: rows.map(presentNotice), ...page };
  });

  route('POST /admin/notices/:id/read', async ({ params: { id }, body: { older } }) => {
    if (!(await markRead(db, id, { older, now: clock.now() }))) throw new AppError('NOT_FOUND', 'Notice not found');
  });

  route('GET /admin/notice-settings', async () => ({ data: await readSettings(db) }));

  route('PUT /admin/notice-settings', async ({ body, actor }) => {
    await db.transaction().execute(async (trx) => {
      await lockSettings(trx);
      const stored = await readSettings(trx);
      if (isStored(body, stored)) return;
      if (body.version !== undefined && body.version !== stored.version) {
        throw new AppError(
          'EDIT_CONFLICT',
          'Someone else changed these settings meanwhile. Check them and save again.',
        );
      }
      await saveSettings(trx, body);
      const { deliveries, recipients } = await readSettings(trx);
      const mailed = recipients.filter(({ isMailed }) => isMailed).map(({ email }) => email);
      const chosen = Object.entries(deliveries).map(([kind, how]) => `${noticeKindNames[kind as NoticeKind]}: ${how}`);
      const summary = `${chosen.join(', ')}; mails to ${mailed.join(', ') || 'nobody'}`;
      const entry = { action: 'notices.set', subject: { type: 'shop', id: 'notices' } } as const;
      await writeAudit(deps, trx, { actor, ...entry, summary });
    });
    return { data: await readSettings(db) };
  });
}

async function readSettings(db: Database): Promise<NoticeSettings> {
  const [deliveries, recipients] = [await listDeliveries(db), await listRecipients(db)];
  const byKind = Object.fromEntries(deliveries.map(({ kind, delivery }) => [kind, delivery]));
  const version = Math.max(...deliveries.map((row) => row.version));
  return { version, deliveries: byKind as NoticeSettings['deliveries'], recipients };
}

/** Whether a save would change nothing, as when it is repeated after a lost answer. */
const isStored = ({ deliveries, recipients }: ChosenSettings, stored: NoticeSettings): boolean =>
  (Object.keys(deliveries) as NoticeKind[]).every((kind) => deliveries[kind] === stored.deliveries[kind]) &&
  stored.recipients.every((one) =>
    recipients.every(({ _id, isMailed }) => _id !== one._id || isMailed === one.isMailed),
  );
