import type { AdminUser, AdminUserPage } from '../../../shared/admin.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { presentSession } from '../accounts/present-session.ts';
import { presentUser } from '../accounts/present-user.ts';
import { listLiveSessions } from '../accounts/sessions.queries.ts';
import { countBackupCodes, isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';
import { presentDeskOrder } from '../order-desk/present-desk-order.ts';
import { presentTwoFactorStatus } from '../two-factor/present-two-factor-status.ts';
import { listNewestOrders, listTrade, type Trade } from './users.queries.ts';

/** A user as administrators may see them. */
export function presentAdminUser(user: UserRow, trade: Trade = { orders: 0, spentCents: 0 }): AdminUser {
  return {
    ...presentUser(user),
    orderCount: trade.orders,
    totalSpent: toDollars(trade.spentCents),
    blockedAt: user.blocked_at?.toISOString() ?? null,
    blockReason: user.block_reason,
  };
}

/** `ownSession` is that of the administrator who looks. */
export async function presentUserPage(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  user: UserRow,
  ownSession: string,
): Promise<AdminUserPage> {
  const [trade, enabled, codesLeft, sessions, orders] = await Promise.all([
    listTrade(db, [user.id]),
    isTwoFactorEnabled(db, user.id),
    countBackupCodes(db, user.id),
    listLiveSessions(db, { userId: user.id, now: clock.now() }),
    listNewestOrders(db, user.id),
  ]);
  return {
    ...presentAdminUser(user, trade.get(user.id)),
    twoFactor: presentTwoFactorStatus({ enabled, codesLeft }),
    sessions: sessions.map((session) => presentSession(session, ownSession)),
    orders: orders.map((order) =>
      presentDeskOrder({ ...order, user_name: user.name, user_email: user.email }),
    ),
  };
}
