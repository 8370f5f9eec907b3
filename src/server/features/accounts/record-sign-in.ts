import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { writeAudit } from '../audit/write-audit.ts';

/** Puts on record that an administrator signed in, in the transaction that does it; customers' sign-ins are theirs alone. */
export async function recordSignIn(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  { user, client }: { user: UserRow; client: Client },
): Promise<void> {
  if (user.role !== 'admin') return;
  await writeAudit(deps, trx, {
    actor: { userId: user.id, name: user.email, ip: client.ip },
    action: 'user.signed-in',
    subject: { type: 'user', id: user.id },
    summary: `${user.email} signed in`,
  });
}
