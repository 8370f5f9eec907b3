import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/list-queries.ts';
import type { CallPolicy, Route } from '../../platform/http/route.ts';
import { endAlert, listOpenAlerts } from './alerts.queries.ts';
import { countEntries, listEntries } from './audit-log.queries.ts';
import { actorOf, writeAudit } from './audit-log.ts';
import { streamReport } from './reports.ts';
import { lastDays, listBestSellers, listSalesByDay } from './sales.queries.ts';
import { listLowStock, readStats } from './stats.queries.ts';

// A report may read the whole shop, and takes as long as its reader likes.
const MAX_REPORTS_AT_ONCE = 2;

/** The dashboard: figures, alerts, the audit log and the reports. */
export function adminRoutes(route: Route, deps: Deps, policy?: CallPolicy): void {
  const { db } = deps;
  let reportsRunning = 0;

  route('GET /admin/stats', async () => ({ data: await readStats(deps) }));

  route('GET /admin/sales', async ({ query: { days = '30' } }) => {
    const [sales, bestSellers] = await Promise.all([
      listSalesByDay(db, lastDays(deps.clock.now(), Number(days))),
      listBestSellers(db, days),
    ]);
    const byDay = sales.map(({ day, orders, revenueCents }) => ({ day, orders, revenue: toDollars(revenueCents) }));
    return { data: { days: byDay, bestSellers } };
  });

  route('GET /admin/low-stock', async () => ({ data: await listLowStock(db) }));

  route('GET /admin/alerts', async () => ({
    data: (await listOpenAlerts(db)).map((alert) => ({
      _id: alert.id,
      kind: alert.kind,
      subject: alert.subject,
      orderId: alert.order_id,
      raisedAt: alert.raised_at.toISOString(),
    })),
  }));

  route('POST /admin/alerts/:id/acknowledge', async ({ params: { id }, body: { reason }, viewer, request }) => {
    await db.transaction().execute(async (trx) => {
      const alert = await endAlert(trx, { id, reason, now: deps.clock.now() });
      if (!alert) throw new AppError('NOT_FOUND', 'This was acknowledged or has ended');
      await writeAudit(deps, trx, {
        actor: actorOf(viewer, request),
        action: 'alert.acknowledged',
        subject: { type: 'alert', id },
        summary: `Acknowledged ${alert.kind} of ${alert.subject}: ${reason}`,
      });
    });
    return {};
  });

  route('GET /admin/audit-log', async ({ query }) => {
    const [found, counted] = await Promise.all([listEntries(db, query), countEntries(db, query)]);
    const { rows, nextCursor } = cutPage(found, query);
    const data = rows.map((row) => ({
      _id: row.id,
      at: row.at.toISOString(),
      actor: row.actor,
      ip: row.ip,
      action: row.action,
      subjectType: row.subject_type,
      subjectId: row.subject_id,
      summary: row.summary,
    }));
    return { data, nextCursor, ...counted };
  });

  route('GET /admin/reports/:kind', async ({ params: { kind }, query, viewer, request, reply }) => {
    const { from, to } = query;
    if (from && to && from > to) throw new AppError('VALIDATION_FAILED', 'The first day is after the last', 'to');
    if (reportsRunning >= MAX_REPORTS_AT_ONCE) {
      throw new AppError('BUSY', 'Other reports are being made just now. Please try again in a minute.');
    }
    reportsRunning += 1;
    try {
      await db
        .transaction()
        .execute((trx) =>
          writeAudit(deps, trx, {
            actor: actorOf(viewer, request),
            action: 'report.generated',
            subject: { type: 'report', id: kind },
            summary: `Report of ${kind} from ${from ?? 'the beginning'} to ${to ?? 'now'}`,
          }),
        );
    } catch (error) {
      reportsRunning -= 1;
      throw error;
    }
    const name = [kind, from && `from-${from}`, to && `to-${to}`].filter(Boolean).join('-');
    reply.header('content-disposition', `attachment; filename="${name}.csv"`);
    return streamReport(db, { kind, ...query, maskPeople: policy?.maskPeople }).once('close', () => {
      reportsRunning -= 1;
    });
  });
}
