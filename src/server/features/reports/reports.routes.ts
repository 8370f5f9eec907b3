import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { CallPolicy, Route } from '../../platform/http/route.ts';
import { actorOf, writeAudit } from '../audit/write-audit.ts';
import { streamReport } from './stream-report.ts';

// Each may read the whole shop, and takes as long as its reader likes.
const MOST_AT_ONCE = 2;

export function reportsRoutes(route: Route, deps: Deps, policy?: CallPolicy): void {
  let running = 0;

  route('GET /admin/reports/:kind', async ({ params: { kind }, query, viewer, request, reply }) => {
    const { from, to } = query;
    if (from && to && from > to)
      throw new AppError('VALIDATION_FAILED', 'The first day is after the last', 'to');
    if (running >= MOST_AT_ONCE) {
      throw new AppError('BUSY', 'Other reports are being made just now. Please try again in a minute.');
    }
    running += 1;
    try {
      await deps.db.transaction().execute((trx) =>
        writeAudit(deps, trx, {
          actor: actorOf(viewer, request),
          action: 'report.generated',
          subject: { type: 'report', id: kind },
          summary: `Report of ${kind} from ${from ?? 'the beginning'} to ${to ?? 'now'}`,
        }),
      );
    } catch (error) {
      running -= 1;
      throw error;
    }
    const name = [kind, from && `from-${from}`, to && `to-${to}`].filter(Boolean).join('-');
    reply.header('content-disposition', `attachment; filename="${name}.csv"`);
    return streamReport(deps.db, { kind, ...query, maskPeople: policy?.maskPeople }).once('close', () => {
      running -= 1;
    });
  });
}
