import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';

const HOUR_MS = 60 * 60 * 1000;

/**
 * Writes down who asks for which order, and whether there is a paid one to be shown: none, too, when its codes of this hour
 * are used up. The same two statements in every case.
 */
export async function insertLookup(
  trx: Transaction,
  lookup: {
    id: string;
    email: string;
    orderNumber: string;
    network: string;
    maxPerHour: number;
    maxPerHourAndNetwork: number;
    now: Date;
    expiresAt: Date;
  },
): Promise<void> {
  const { id, email, orderNumber, network, maxPerHour, maxPerHourAndNetwork, now, expiresAt } = lookup;
  // Questions for one order wait for each other, or together they would have more codes than an hour allows.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${email} ${orderNumber}`}, 0))`.execute(trx);
  await sql`
    INSERT INTO order_lookups (id, order_id, network, created_at, expires_at)
    VALUES (${id}, (
      SELECT orders.id FROM orders
      WHERE right(id::text, 8) = ${orderNumber.toLowerCase()} AND contact_email = ${email}
        AND state NOT IN ('pending', 'capturing', 'cancelled')
        AND (SELECT count(*) < ${maxPerHour} AND count(*) FILTER (WHERE network = ${network}) < ${maxPerHourAndNetwork}
             FROM order_lookups
             WHERE order_id = orders.id AND created_at > ${new Date(now.getTime() - HOUR_MS)})
      LIMIT 1
    ), ${network}, ${now}, ${expiresAt})`.execute(trx);
}

/** Answers the order that the code is for; undefined when there is none, or the code would have expired already. */
export async function storeLookupCode(
  trx: Transaction,
  { id, codeHash, now }: { id: string; codeHash: Buffer; now: Date },
): Promise<string | undefined> {
  const lookup = await trx
    .updateTable('order_lookups')
    .set({ code_hash: codeHash })
    .where('id', '=', id)
    .where('order_id', 'is not', null)
    .where('expires_at', '>', now)
    .returning('order_id')
    .executeTakeFirst();
  return lookup?.order_id ?? undefined;
}

/** Counts a try before it is checked; undefined when none is left, or the lookup is unknown, used or expired. */
export function takeTry(
  db: Database,
  { id, maxTries, now }: { id: string; maxTries: number; now: Date },
): Promise<{ order_id: string | null; code_hash: Buffer | null } | undefined> {
  return db
    .updateTable('order_lookups')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('tries', '<', maxTries)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['order_id', 'code_hash'])
    .executeTakeFirst();
}

/** Uses the code up; false when somebody was first. */
export async function closeLookup(db: Database, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('order_lookups')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
