import { hashToken } from '../../platform/crypto/random-token.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { type AccountLink, findAccountLink, spendAccountLink } from './account-links.queries.ts';
import { lockUser } from './accounts.queries.ts';
import { assertNotBlocked } from './assert-not-blocked.ts';
import { isOvertaken } from './is-overtaken.ts';
import { linkInvalid } from './link-refusals.ts';

/** Uses up a mailed link. Throws LINK_INVALID, ACCOUNT_BLOCKED; answers its account, locked, and what the click has proven. */
export async function redeemAccountLink(
  trx: Transaction,
  { token, kinds, now }: { token: string; kinds: AccountLink['kind'][]; now: Date },
): Promise<{ link: AccountLink; user: UserRow }> {
  const tokenHash = hashToken(token);
  const found = await findAccountLink(trx, { tokenHash, kinds, now });
  // The user before the link: whoever ends a user's access locks both, in this order.
  const user = found && (await lockUser(trx, found.user_id));
  const link = user && (await spendAccountLink(trx, { tokenHash, kinds, now }));
  if (!user || !link || isOvertaken(link, user)) throw linkInvalid();
  assertNotBlocked(user);
  return { link, user };
}
