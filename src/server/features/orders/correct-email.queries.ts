import { sql } from 'kysely';
import { type Database, hasRow, rowsOf, type Transaction } from '../../platform/database/open-database.ts';

/** Whether a buyer has seen an item of the order, including items that were replaced or taken back since. */
export const hasSeenItems = (db: Database, orderId: string) => hasRow(db)`
  SELECT FROM items JOIN order_lines ON order_lines.id = order_line_id
  WHERE order_id = ${orderId} AND first_viewed_at IS NOT NULL LIMIT 1`;

/** Whether a user has paid for an order while signed in, and not only as a guest. */
export const hasOrdersAsCustomer = (db: Database, userId: string) => hasRow(db)`
  SELECT FROM orders WHERE user_id = ${userId} AND NOT guest AND paid_at IS NOT NULL LIMIT 1`;

export const hasOtherOrders = (db: Database, userId: string, orderId: string) => hasRow(db)`
  SELECT FROM orders WHERE user_id = ${userId} AND id <> ${orderId} LIMIT 1`;

/** Lists the accounts that have an address, or that can return to it by undoing a change of e-mail. */
export async function listHolders(db: Database, { email, now }: { email: string; now: Date }): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(db)`
    SELECT id FROM users WHERE email = ${email}
    UNION SELECT user_id FROM verifications
    WHERE purpose = 'email-undo' AND email = ${email} AND used_at IS NULL AND expires_at > ${now}`;
  return rows.map(({ id }) => id);
}

/**
 * Ends the links and codes of an order. Skips a link that another transaction has locked, because a claim locks its
 * link before the account, so waiting could deadlock. claim-account.ts then refuses the claim, because the order has
 * another address.
 */
export async function endLinksOfOrder(trx: Transaction, { orderId, now }: { orderId: string; now: Date }) {
  await sql`
    UPDATE verifications SET used_at = ${now} WHERE id IN (
      SELECT id FROM verifications WHERE order_id = ${orderId} AND used_at IS NULL FOR UPDATE SKIP LOCKED)`.execute(
    trx,
  );
}

/**
 * Marks the unsent mails of an order to its old address as skipped. A mail that is being sent is left alone; its link
 * is bound to the old address.
 */
export async function skipUnsentMails(
  trx: Transaction,
  { orderId, recipient }: { orderId: string; recipient: string },
): Promise<void> {
  await sql`
    UPDATE mails SET recipient = '' WHERE id IN (
      SELECT id FROM mails WHERE order_id = ${orderId} AND recipient = ${recipient} AND sent_at IS NULL
      FOR UPDATE SKIP LOCKED)`.execute(trx);
}
