import type { BodyOf } from '../../../shared/api.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { OrderRow, UserRow } from '../../platform/database/tables.ts';
import type { AdminActor } from '../../platform/http/route.ts';
import { isEmailTaken } from '../accounts/account-email.ts';
import {
  changePassword,
  findUser,
  findUserByEmail,
  isEmailReserved,
  lockUser,
  updateUser,
} from '../accounts/accounts.queries.ts';
import { ownerOfPaidOrder } from '../accounts/claim-account.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { removeReviewsOfOthers } from '../reviews/review-actions.ts';
import { withFreshCode } from '../two-factor/two-factor.ts';
import {
  endLinksOfOrder,
  hasOrdersAsCustomer,
  hasOtherOrders,
  hasSeenItems,
  listHolders,
  skipUnsentMails,
} from './admin-orders.queries.ts';
import { findOrder, lockOrderAsAdmin, readFullOrder, updateOrder } from './orders.queries.ts';

const ITEMS_OPEN_AFTER_MS = HOUR_MS;

type CorrectEmail = BodyOf<'POST /admin/orders/:id/correct-email'> & { orderId: string; actor: AdminActor };

/**
 * Corrects the e-mail that a guest mistyped, for an administrator with a fresh two-factor code. Allowed only while
 * nobody has verified the old address, or seen or reported an item. Ends the order's links, and the sessions and the
 * password of the account that owns the order. Both addresses get a mail, and the items open an hour later. Throws NOT_FOUND,
 * TRANSITION_REFUSED, TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function correctEmail(deps: Deps, input: CorrectEmail): Promise<void> {
  const { orderId, email, reason, actor } = input;
  if (!(await findOrder(deps.db, orderId))) throw new AppError('NOT_FOUND', 'Order not found');
  const corrected = withFreshCode(deps, input, async (trx) => {
    const now = deps.clock.now();
    const { account, locked } = await lockAccounts(trx, { orderId, email, now });
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const old = order.contact_email;
    await assertCorrectable(trx, order, account, email);

    if (account && order.user_id === account.id) {
      await changePassword(trx, { userId: account.id, passwordHash: null, now });
    }
    await endLinksOfOrder(trx, orderId, now);
    await skipUnsentMails(trx, orderId, old);
    const hasItems = (await readFullOrder(trx, order)).lines.some(({ kind }) => kind === 'digital');
    const owner = await newOwner(trx, order, { account, email, now });
    // An account that is not locked may be verifying the address now, and would not see that this order waits for it.
    const holders = owner.userId === null ? await listHolders(trx, { email, now }) : [];
    if (holders.some((id) => !locked.has(id))) throw justTaken();
    await updateOrder(trx, orderId, {
      contact_email: email,
      user_id: owner.userId,
      made_account: owner.madeAccount,
      // The browser that paid has not proven that it owns the new address.
      checkout_hash: null,
      items_open_at: hasItems ? new Date(now.getTime() + ITEMS_OPEN_AFTER_MS) : null,
    });
    await removeReviewsOfOthers(trx, orderId, owner.userId);
    await enqueueMail(deps, trx, { kind: 'order-email-corrected', recipient: email, orderId, userId: owner.userId });
    await enqueueMail(deps, trx, { kind: 'order-email-left', recipient: old, orderId, userId: null });
    const summary = `Corrected the email of the order from ${old} to ${email}: ${reason}`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.email-corrected', summary });
  });
  // The code was not used up.
  await corrected.catch((error: unknown) => {
    throw isEmailTaken(error) ? justTaken() : error;
  });
}

/**
 * Locks the accounts that have the old or the new address, or can return to the new one, so that neither is verified
 * meanwhile. Users before orders (docs/architecture.md). Returns them, and the account of the old address.
 */
async function lockAccounts(trx: Transaction, { orderId, email, now }: { orderId: string; email: string; now: Date }) {
  const order = orNotFound(await findOrder(trx, orderId), 'Order not found');
  const account = await accountOf(trx, order);
  const ids = [...(account ? [account.id] : []), ...(await listHolders(trx, { email, now }))];
  const locked = new Map<string, UserRow>();
  for (const id of [...new Set(ids)].sort()) locked.set(id, await lockUser(trx, id));
  return { account: account && locked.get(account.id), locked };
}

const accountOf = (trx: Transaction, order: OrderRow): Promise<UserRow | undefined> =>
  order.user_id === null ? findUserByEmail(trx, order.contact_email) : findUser(trx, order.user_id);

const refused = (message: string) => new AppError('TRANSITION_REFUSED', message);
const justTaken = () => refused('Somebody has just got an account with this email. Please try again.');

async function assertCorrectable(trx: Transaction, order: OrderRow, account: UserRow | undefined, email: string) {
  if (!mayBeCorrected(order)) throw refused('Only the email of a paid order of a guest can be corrected');
  if (order.contact_email === email) throw refused('This is the email of the order already');
  // During the wait for the locks, another call may have given the order an account, or verified this one.
  const current = await accountOf(trx, order);
  if (current?.id !== account?.id || account?.email_verified_at) {
    throw refused('The owner has verified this email, so only the owner can change it');
  }
  if (account && order.user_id === account.id && (await hasOrdersAsCustomer(trx, account.id))) {
    throw refused('The buyer has ordered again with this account, and can change its email in the profile');
  }
  if (await hasSeenItems(trx, order.id)) {
    throw refused('The items of this order were seen or reported, so its email stays');
  }
}

const mayBeCorrected = (order: OrderRow): boolean => order.guest && order.state === 'fulfilled';

/** Whether the page of an order offers the correction; assertCorrectable decides. */
export const isEmailCorrectable = async (db: Database, order: OrderRow & { user_verified_at: Date | null }) =>
  mayBeCorrected(order) &&
  order.user_verified_at === null &&
  !(await hasSeenItems(db, order.id)) &&
  (order.user_id === null || !(await hasOrdersAsCustomer(db, order.user_id)));

/**
 * Returns the owner of the corrected order. An account that this order created, and that has no other, moves to the new
 * address if nobody has or reserves it. Otherwise the order gets the owner of a new order with the address.
 */
async function newOwner(
  trx: Transaction,
  order: OrderRow,
  { account, email, now }: { account: UserRow | undefined; email: string; now: Date },
) {
  const { user_id: userId, made_account: madeAccount } = order;
  if (userId !== null && account && madeAccount && !(await findUserByEmail(trx, email))) {
    // The database compares the end of a reservation with the account's creation (0010_verifications.sql).
    const isReserved = await isEmailReserved(trx, { email, userId, now: account.created_at });
    if (!isReserved && !(await hasOtherOrders(trx, userId, order.id))) {
      await updateUser(trx, userId, { email });
      return { userId, madeAccount };
    }
  }
  return ownerOfPaidOrder(trx, { ...order, user_id: null, contact_email: email }, now);
}
