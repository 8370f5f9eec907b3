import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/random-token.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { adoptOrders, getOrder } from '../orders/orders.queries.ts';
import { findUserByEmail, revokeAllSessions, verifyUser } from './accounts.queries.ts';
import { useClaimLink } from './claim-links.queries.ts';
import { startSession } from './start-session.ts';

/**
 * The single-use link of an order's mail proves its address: the account is verified, gets the new password, loses
 * every session that somebody else may have opened, and receives the orders of that address that nobody owned.
 */
export async function claimAccount(
  deps: Deps,
  input: { claimToken: string; password: string; client: Client },
): Promise<{ token: string; user: UserRow }> {
  const passwordHash = await deps.passwords.hash(input.password);
  const user = await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const link = await useClaimLink(trx, { tokenHash: hashToken(input.claimToken), now });
    if (!link) throw new AppError('LINK_INVALID', 'This link has been used or has expired');
    const { contact_email: email } = await getOrder(trx, link.order_id);
    const known = await findUserByEmail(trx, email);
    if (!known) throw new AppError('LINK_INVALID', 'This link has been used or has expired');
    await revokeAllSessions(trx, known.id, now);
    await adoptOrders(trx, { email, userId: known.id });
    return verifyUser(trx, { userId: known.id, passwordHash, now });
  });
  const session = await startSession(deps, {
    userId: user.id,
    role: user.role,
    remember: false,
    client: input.client,
  });
  return { ...session, user };
}
