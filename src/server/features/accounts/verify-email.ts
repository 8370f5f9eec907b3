import type { Deps } from '../../deps.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { findUser } from './accounts.queries.ts';

/** Mails the link that proves the account's own address, unless that is proven. */
export async function verifyEmail(deps: Deps, { userId }: { userId: string }): Promise<void> {
  const user = await findUser(deps.db, userId);
  if (!user || user.email_verified_at) return;
  const mail = { kind: 'email-verification', recipient: user.email, userId } as const;
  await deps.db.transaction().execute((trx) => enqueueMail(deps, trx, mail));
}
