import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { actorOf, writeAudit } from '../audit/write-audit.ts';
import { endAlert, listOpenAlerts } from './alerts.queries.ts';

/** What a person must look at. */
export function alertsRoutes(route: Route, deps: Deps): void {
  route('GET /admin/alerts', async () => ({
    data: (await listOpenAlerts(deps.db)).map((alert) => ({
      _id: alert.id,
      kind: alert.kind,
      subject: alert.subject,
      orderId: alert.order_id,
      raisedAt: alert.raised_at.toISOString(),
    })),
  }));

  route(
    'POST /admin/alerts/:id/acknowledge',
    async ({ params: { id }, body: { reason }, viewer, request }) => {
      await deps.db.transaction().execute(async (trx) => {
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
    },
  );
}
