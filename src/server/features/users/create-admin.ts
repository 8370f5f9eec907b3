import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { StartError } from '../../platform/start-error.ts';
import {
  changePassword,
  findUserByEmail,
  insertUserIfNew,
  lockUser,
  updateUser,
} from '../accounts/accounts.queries.ts';
import { assertPasswordOfRole } from '../accounts/change-password.ts';
import { markEmailVerified } from '../accounts/confirm-email.ts';
import { endVerifications } from '../accounts/verifications.queries.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { endAccess } from './change-user.ts';

const RESERVED =
  'This e-mail address is reserved for an account that had it within the last 7 days and can still return to it';
const ACTOR = { userId: null, name: 'npm run admin:create', ip: '' };

/**
 * Creates an administrator for the operator of the machine, who vouches for the address. An existing account is
 * unblocked, gets the password, and loses its sessions and links. Its two-factor is kept only if the address was
 * verified. Throws VALIDATION_FAILED, StartError.
 */
export async function createAdmin(
  deps: Pick<Deps, 'db' | 'cipher' | 'passwords' | 'clock'>,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<void> {
  assertPasswordOfRole('admin', password, 'password');
  const passwordHash = await deps.passwords.hash(password);
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const fresh = { id: uuidv7(), email, email_verified_at: null, name, password_hash: null, created_at: now };
    const made = await insertUserIfNew(trx, fresh);
    const userId = made?.id ?? (await findUserByEmail(trx, email))?.id;
    if (userId === undefined) throw new StartError(RESERVED);
    const { email_verified_at } = await lockUser(trx, userId);
    if (!email_verified_at) await deleteTwoFactor(trx, userId);
    await changePassword(trx, { userId, passwordHash, now });
    await updateUser(trx, userId, { role: 'admin', blocked_at: null, block_reason: null });
    await markEmailVerified(trx, { userId, email, now });
    await endAccess(trx, { userId, now });
    await endVerifications(trx, { userId, among: ['email-undo'], now });
    const action = made ? 'user.created' : 'user.made-admin';
    const summary = `${email} is ${made ? 'a new administrator' : 'now an administrator, with a new password'}`;
    await writeAudit(deps, trx, { actor: ACTOR, action, subject: { type: 'user', id: userId }, summary });
  });
}
