import type { Transaction } from '../../platform/database/open-database.ts';
import { deleteEmailChange } from '../accounts/email-changes.queries.ts';
import { revokeSessions } from '../accounts/sessions.queries.ts';
import { endVerifications } from '../accounts/verifications.queries.ts';

/** Ends what somebody has open or half open: sessions, logins that wait for their code, mailed links. */
export async function endAccess(
  trx: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await revokeSessions(trx, { userId, now });
  await deleteEmailChange(trx, userId);
  await endVerifications(trx, { userId, now });
}
