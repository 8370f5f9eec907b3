import type { AdminUser, AdminUserPage } from '../../../shared/admin.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { listLiveSessions } from '../accounts/sessions.queries.ts';
import { presentSession, presentUser } from '../accounts/sessions.ts';
import { maskTyped } from '../inventory/mask-secrets.ts';
import { listOrdersOfUser } from '../orders/list-orders.queries.ts';
import { presentAdminOrder } from '../orders/order-status.ts';
import { getTwoFactorStatus } from '../two-factor/two-factor.ts';
import { listUsers, type Purchases, sumPurchases, updateBlock, updateRole } from './users.ts';

const NEWEST_ORDERS = 20;

export function usersRoutes(route: Route, deps: Deps): void {
  const { db, clock } = deps;

  route('GET /admin/users', async ({ query }) => {
    const { rows, ...page } = await listUsers(db, query);
    const ids = rows.map(({ id }) => id);
    const purchases = await sumPurchases(db, ids);
    return { data: rows.map((row) => presentAdminUser(row, purchases.get(row.id))), ...page };
  });

  route('GET /admin/users/:id', ({ params, viewer }) => pageOf(params.id, viewer));

  route('PUT /admin/users/:id/role', async ({ params: { id }, body, viewer, actor }) => {
    await updateRole(deps, { ...viewer, ...body, userId: id, actor });
    return pageOf(id, viewer);
  });

  route('PUT /admin/users/:id/block', async ({ params: { id }, body, viewer, actor }) => {
    if (body.blocked && body.reason === undefined) {
      throw new AppError('VALIDATION_FAILED', 'Please give a reason', 'reason');
    }
    const reason = body.blocked && body.reason !== undefined ? await maskTyped(deps, actor, body.reason) : null;
    await updateBlock(deps, { ...viewer, userId: id, reason, actor });
    return pageOf(id, viewer);
  });

  async function pageOf(userId: string, { sessionId }: Viewer): Promise<{ data: AdminUserPage }> {
    const user = orNotFound(await findUser(db, userId), 'User not found');
    const [purchases, twoFactor, sessions, { orders }] = await Promise.all([
      sumPurchases(db, [userId]),
      getTwoFactorStatus(db, userId),
      listLiveSessions(db, userId, clock.now()),
      listOrdersOfUser(db, userId, { limit: NEWEST_ORDERS }),
    ]);
    const data = {
      ...presentAdminUser(user, purchases.get(userId)),
      twoFactor,
      sessions: sessions.map((session) => presentSession(session, sessionId)),
      orders: orders.map((order) => presentAdminOrder({ ...order, user_name: user.name, user_email: user.email })),
    };
    return { data };
  }
}

const presentAdminUser = (user: UserRow, purchases: Purchases = { orders: 0, spentCents: 0 }): AdminUser => ({
  ...presentUser(user),
  orderCount: purchases.orders,
  totalSpent: toDollars(purchases.spentCents),
  blockedAt: user.blocked_at?.toISOString() ?? null,
  blockReason: user.block_reason,
});
