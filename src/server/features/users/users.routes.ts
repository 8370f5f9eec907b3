import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/newest-first.ts';
import type { Viewer } from '../../platform/http/authentication.ts';
import type { Route } from '../../platform/http/route.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { actorOf } from '../audit/write-audit.ts';
import { presentAdminUser, presentUserPage } from './present-user-page.ts';
import { updateBlock } from './update-block.ts';
import { updateRole } from './update-role.ts';
import { countUsers, listTrade, listUsers } from './users.queries.ts';

/** The people of the shop, for those who run it. */
export function usersRoutes(route: Route, deps: Deps): void {
  route('GET /admin/users', async ({ query }) => {
    const { rows, nextCursor } = cutPage(await listUsers(deps.db, query), query);
    // A list that ends on its first page is counted already: few letters that are rare are searched for once, not twice.
    const isWhole = query.cursor === undefined && nextCursor === null;
    const counted = isWhole
      ? { total: rows.length, hasUncounted: false }
      : await countUsers(deps.db, query.q);
    const trade = await listTrade(
      deps.db,
      rows.map(({ id }) => id),
    );
    return { data: rows.map((row) => presentAdminUser(row, trade.get(row.id))), nextCursor, ...counted };
  });

  route('GET /admin/users/:id', ({ params, viewer }) => pageOf(params.id, viewer));

  route('PUT /admin/users/:id/role', async ({ params: { id }, body, viewer, request }) => {
    const by = { actor: actorOf(viewer, request), authenticatedAt: viewer.authenticatedAt };
    await updateRole(deps, { userId: id, role: body.role, ...by });
    return pageOf(id, viewer);
  });

  route('PUT /admin/users/:id/block', async ({ params: { id }, body, viewer, request }) => {
    const reason = body.blocked ? body.reason : null;
    if (reason === undefined) throw new AppError('VALIDATION_FAILED', 'Please give a reason', 'reason');
    const by = { actor: actorOf(viewer, request), authenticatedAt: viewer.authenticatedAt };
    await updateBlock(deps, { userId: id, reason, ...by });
    return pageOf(id, viewer);
  });

  async function pageOf(userId: string, viewer: Viewer) {
    const user = await findUser(deps.db, userId);
    if (!user) throw new AppError('NOT_FOUND', 'User not found');
    return { data: await presentUserPage(deps, user, viewer.sessionId) };
  }
}
