import { HOUR_MS } from '../../../shared/durations.ts';
import {
  type Database,
  firstFieldOf,
  isWithinLast,
  lockName,
  type Transaction,
} from '../../platform/database/database.ts';

const MAX_CODES_PER_HOUR = 12;
// Less than MAX_CODES_PER_HOUR, so that a stranger on one network cannot use up the buyer's codes.
const MAX_CODES_PER_HOUR_AND_NETWORK = 3;

/**
 * Returns the paid order to mail a code for; undefined when there is none, or its codes of this hour are used up.
 * Always runs two statements, so that the duration does not tell whether the order exists.
 */
export async function findOrderForCode(
  trx: Transaction,
  { email, orderNumber, network, now }: { email: string; orderNumber: string; network: string; now: Date },
): Promise<string | undefined> {
  // Requests for one order wait for each other, so that concurrent ones cannot exceed the limit.
  await lockName(trx, `${email} ${orderNumber}`);
  return firstFieldOf<string>(trx)`
    SELECT id FROM orders
    WHERE right(id::text, 8) = ${orderNumber.toLowerCase()} AND contact_email = ${email}
      AND state NOT IN ('pending', 'capturing', 'cancelled') AND (
        SELECT count(*) < ${MAX_CODES_PER_HOUR}
          AND count(*) FILTER (WHERE origin = ${network}) < ${MAX_CODES_PER_HOUR_AND_NETWORK}
        FROM verifications
        WHERE purpose = 'order-lookup' AND order_id = orders.id
          AND ${isWithinLast(HOUR_MS, { column: 'verifications.created_at', now })})`;
}

/** The id of the order that a browser has opened after `since`, if the order still has the e-mail that the code was mailed to. */
export const findOpenedOrder = (
  db: Database,
  { lookupId, secretHash, since }: { lookupId: string; secretHash: Buffer; since: Date },
) => firstFieldOf<string>(db)`
  SELECT orders.id FROM verifications JOIN orders ON orders.id = order_id
  WHERE verifications.id = ${lookupId} AND purpose = 'order-lookup' AND secret_hash = ${secretHash} AND used_at > ${since}
    AND email = contact_email`;
