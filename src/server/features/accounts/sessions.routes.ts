import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { presentSession } from './present-session.ts';
import { listLiveSessions, revokeOwnSession, revokeSessions } from './sessions.queries.ts';

/** The devices on which somebody is signed in. */
export function sessionsRoutes(route: Route, deps: Deps): void {
  route('GET /auth/sessions', async ({ viewer }) => {
    const sessions = await listLiveSessions(deps.db, { userId: viewer.userId, now: deps.clock.now() });
    return { data: sessions.map((session) => presentSession(session, viewer.sessionId)) };
  });

  route('DELETE /auth/sessions', async ({ viewer }) => {
    await revokeSessions(deps.db, { userId: viewer.userId, keep: viewer.sessionId, now: deps.clock.now() });
    return {};
  });

  route('DELETE /auth/sessions/:id', async ({ params, viewer }) => {
    const own = { id: params.id, userId: viewer.userId, keep: viewer.sessionId, now: deps.clock.now() };
    if (!(await revokeOwnSession(deps.db, own))) throw new AppError('NOT_FOUND', 'Session not found');
    return {};
  });
}
