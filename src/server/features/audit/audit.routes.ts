import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/newest-first.ts';
import type { Route } from '../../platform/http/route.ts';
import { countEntries, listEntries } from './audit.queries.ts';

export function auditRoutes(route: Route, { db }: Pick<Deps, 'db'>): void {
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
}
