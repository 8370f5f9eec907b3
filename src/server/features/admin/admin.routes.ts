import type { AuditEntry } from '../../../shared/admin.ts';
import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { AuditRow } from '../../platform/database/tables.ts';
import type { CallPolicy, Route } from '../../platform/http/route.ts';
import { assertStillAdministrator, listEntries, writeAudit } from './audit-log.ts';
import { streamReport } from './reports.ts';
import { lastDays, listBestSellers, listLowStock, listSalesByDay, readStats } from './stats.queries.ts';

// A report may read the whole database, and runs as long as the client takes to receive it.
const MAX_REPORTS_AT_ONCE = 2;

export function adminRoutes(route: Route, deps: Deps, policy?: CallPolicy): void {
  const { db, readDb } = deps;
  let reportsRunning = 0;

  route('GET /admin/stats', async () => ({ data: await readStats(deps) }));

  route('GET /admin/sales', async ({ query: { days = '30' } }) => {
    const [sales, bestSellers] = await Promise.all([
      listSalesByDay(readDb, lastDays(deps.clock.now(), Number(days))),
      listBestSellers(readDb, days),
    ]);
    const byDay = sales.map(({ day, orders, revenueCents }) => ({ day, orders, revenue: toDollars(revenueCents) }));
    return { data: { days: byDay, bestSellers } };
  });

  route('GET /admin/low-stock', async () => ({ data: await listLowStock(deps) }));

  route('GET /admin/audit-log', async ({ query }) => {
    const { rows, ...page } = await listEntries(db, query);
    return { data: rows.map(presentEntry), ...page };
  });

  route('GET /admin/reports/:kind', async ({ params: { kind }, query, reply, actor }) => {
    const { from, to } = query;
    if (from && to && from > to) throw new AppError('VALIDATION_FAILED', 'The first day is after the last', 'to');
    if (reportsRunning >= MAX_REPORTS_AT_ONCE) {
      throw new AppError('BUSY', 'Other reports are being made. Please try again in a minute.');
    }
    reportsRunning += 1;
    const finished = () => {
      reportsRunning -= 1;
    };
    const entry = { action: 'report.generated', subject: { type: 'report', id: kind } } as const;
    const summary = `Report of ${kind} from ${from ?? 'the beginning'} to ${to ?? 'now'}`;
    try {
      await db.transaction().execute((trx) => writeAudit(deps, trx, { actor, ...entry, summary }));
    } catch (error) {
      finished();
      throw error;
    }
    const name = [kind, from && `from-${from}`, to && `to-${to}`].filter(Boolean).join('-');
    reply.header('content-disposition', `attachment; filename="${name}.csv"`);
    const assertAllowed = () => assertStillAdministrator(deps, actor);
    const report = { kind, ...query, maskPeople: policy?.maskPeople, assertAllowed };
    return streamReport(readDb, report).once('close', finished);
  });
}

const presentEntry = ({ id, at, subject_type: subjectType, subject_id: subjectId, ...entry }: AuditRow): AuditEntry => {
  const { actor, ip, action, summary } = entry;
  return { _id: id, at: at.toISOString(), actor, ip, action, subjectType, subjectId, summary };
};
