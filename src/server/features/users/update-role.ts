import type { Role } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { assertRecentlyAuthenticated } from '../accounts/assert-recently-authenticated.ts';
import { endVerifications } from '../accounts/verifications.queries.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { endAccess } from './end-access.ts';
import { lockForAdministration } from './lock-for-administration.ts';
import { setRole } from './users.queries.ts';

/**
 * Makes or unmakes an administrator, who is signed out everywhere by it. A password of a customer's length stays, but
 * signs in no administrator: logIn then asks for a new one by mail, which is why the address must be proven. Throws
 * REAUTHENTICATION_REQUIRED, NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, and LAST_ADMIN when nobody would be left to run the
 * shop.
 */
export async function updateRole(
  deps: Deps,
  input: { userId: string; role: Role; actor: Actor; authenticatedAt: Date },
): Promise<void> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, role, actor } = input;
  await deps.db.transaction().execute(async (trx) => {
    const { user, otherAdministrators } = await lockForAdministration(trx, { actor, userId });
    if (user.role === role) return;
    if (role === 'admin') assertMayAdminister(user);
    else if (otherAdministrators.length === 0) {
      throw new AppError('LAST_ADMIN', 'This is the last administrator: make somebody else one first');
    }
    await setRole(trx, userId, role);
    const now = deps.clock.now();
    await endAccess(trx, { userId, now });
    // An administrator is made of the account as it is now: its earlier address must not take it over.
    if (role === 'admin') await endVerifications(trx, { userId, among: ['email-undo'], now });
    await writeAudit(deps, trx, {
      actor,
      action: role === 'admin' ? 'user.made-admin' : 'user.unmade-admin',
      subject: { type: 'user', id: userId },
      summary: `${user.email} is ${role === 'admin' ? 'now' : 'no longer'} an administrator`,
    });
  });
}

function assertMayAdminister({ blocked_at, email_verified_at }: UserRow): void {
  if (blocked_at) throw new AppError('VALIDATION_FAILED', 'This user is blocked: unblock them first', 'role');
  if (email_verified_at) return;
  // Anybody can have typed it at a checkout.
  throw new AppError('VALIDATION_FAILED', 'This user has not confirmed their e-mail address yet', 'role');
}
