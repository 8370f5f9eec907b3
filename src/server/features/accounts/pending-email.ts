import type { PendingEmail } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { lockUser } from './accounts.queries.ts';
import { assertRecentlyAuthenticated } from './assert-recently-authenticated.ts';
import {
  deleteEmailChange,
  EMAIL_CHANGE_HOURS,
  type EmailChange,
  findEmailChange,
  saveEmailChange,
} from './email-changes.queries.ts';
import { endVerifications } from './verifications.queries.ts';

/** Writes down the new address that a user wants, and the mail with the link that confirms it. */
export async function askForEmail(
  deps: Deps,
  trx: Transaction,
  { userId, email }: { userId: string; email: string },
): Promise<PendingEmail> {
  const change = { user_id: userId, email, asked_at: deps.clock.now() };
  await saveEmailChange(trx, change);
  await enqueueMail(deps, trx, { kind: 'email-change', recipient: email, userId });
  return presentEmailChange(change);
}

/** Mails the link again. Throws NOT_FOUND without a change to confirm, REAUTHENTICATION_REQUIRED as the change itself does. */
export function resendPendingEmail(
  deps: Deps,
  viewer: { userId: string; authenticatedAt: Date },
): Promise<PendingEmail> {
  const { userId } = viewer;
  return deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    const change = await findEmailChange(trx, { userId, now: deps.clock.now() });
    if (!change) throw new AppError('NOT_FOUND', 'There is no change of your email to confirm');
    assertRecentlyAuthenticated(deps, viewer);
    return askForEmail(deps, trx, { userId, email: change.email });
  });
}

/**
 * The account keeps its address, and links to the new one are worthless. It needs no proof of who asks: the account ends up
 * as it was.
 */
export async function cancelPendingEmail(deps: Deps, { userId }: { userId: string }): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    await deleteEmailChange(trx, userId);
    await endVerifications(trx, { userId, among: ['email-change'], now: deps.clock.now() });
  });
}

export function presentEmailChange({ email, asked_at }: EmailChange): PendingEmail {
  const expiresAt = new Date(asked_at.getTime() + EMAIL_CHANGE_HOURS * 60 * 60 * 1_000);
  return { email, expiresAt: expiresAt.toISOString() };
}
