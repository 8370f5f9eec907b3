import { type Insertable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import {
  type Database,
  firstRowOf,
  hasRow,
  insertUnlessKnown,
  rowOf,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { OrderRow, RefundRow, Tables } from '../../platform/database/tables.ts';
import { followLoss } from './freezes.queries.ts';
import { type LineUnits, sumUnits } from './parcels.queries.ts';

/** A refund with its units and its administrator's e-mail. Without units, of an amount or of all that was left. */
export type OrderRefund = RefundRow & { actor: string | null; units: LineUnits[] };

/** Whether a refund is of all that was left of its order. */
export const isRest = ({ units, is_amount }: OrderRefund): boolean => units.length === 0 && !is_amount;

/** The SQL of isRest, for rows of `refunds` under this name. */
export const isRestRow = (name: 'refunds' | 'rest') => sql<boolean>`NOT ${sql.ref(`${name}.is_amount`)}
  AND NOT EXISTS (SELECT FROM refund_lines WHERE refund_id = ${sql.ref(`${name}.id`)})`;

export const listRefunds = (db: Database, orderIds: readonly string[]) => rowsOf<OrderRefund>(db)`
  SELECT refunds.*, users.email AS actor,
    (SELECT coalesce(json_agg(refund_lines), '[]') FROM refund_lines WHERE refund_id = refunds.id) AS units
  FROM refunds LEFT JOIN users ON users.id = refunds.user_id
  WHERE order_id = ANY (${orderIds}::uuid[])
  ORDER BY refunds.created_at, refunds.id`;

/**
 * Adds the refunds to orders. Queries only orders that can have refunds: those with refunded money, and those that the
 * sweeper visits. So a list of delivered orders without refunds needs no further query.
 */
export async function withRefunds<T extends OrderRow>(db: Database, orders: readonly T[]) {
  const mayHave = orders.filter((order) => order.refunded_cents > 0 || order.sweep_at !== null);
  const ids = mayHave.map(({ id }) => id);
  const refunds = ids.length === 0 ? [] : await listRefunds(db, ids);
  return orders.map((order) => ({ ...order, refunds: refunds.filter((refund) => refund.order_id === order.id) }));
}

/** Counts the units that are refunded or being refunded, by line. A refund of all that was left has no units. */
export const refundedUnitsOf = (refunds: readonly OrderRefund[]): Map<string, number> =>
  sumUnits(refunds.flatMap(({ units }) => units.map(({ order_line_id: line, quantity }) => ({ line, quantity }))));

export const sumOf = (refunds: readonly { cents: number }[]): number =>
  refunds.reduce((sum, { cents }) => sum + cents, 0);

/** Inserts a refund with its units. Returns false, without effect, when a refund has this id. */
export async function insertRefund(trx: Transaction, refund: Insertable<Tables['refunds']>, units: LineUnits[]) {
  const isNew = await insertUnlessKnown(trx, 'refunds', refund);
  if (!isNew) return false;
  const lines = units.map((unit) => ({ ...unit, refund_id: refund.id }));
  if (lines.length > 0) await trx.insertInto('refund_lines').values(lines).execute();
  return true;
}

/**
 * Whether the provider has accepted a refund that is not done. The shop follows such a refund and does not request it
 * again. True also for a refund that failed after it was accepted, until an administrator begins the next attempt.
 */
export const isFollowedOnly = ({ state, provider_id }: RefundRow): boolean => state !== 'done' && provider_id !== null;

/** Whether the money of a refund is still with the shop: the refund failed, or the provider has not accepted it yet. */
export const isStillOwed = ({ state, provider_id }: RefundRow): boolean =>
  state === 'failed' || (state === 'pending' && provider_id === null);

/** Whether a failed refund may be settled in another way: no pending refund of the rest may include its money. */
export const isSettleable = (refund: OrderRefund, refunds: readonly OrderRefund[]): boolean =>
  refund.state === 'failed' && (isRest(refund) || !refunds.some((one) => isRest(one) && one.state === 'pending'));

/** Adds up the refunds that an administrator has settled in another way, in cents. */
export const settledCentsOf = (refunds: readonly RefundRow[]): number =>
  sumOf(refunds.filter(({ settled_note }) => settled_note !== null));

/** Cents of an order's payment that its refunds have left at the provider. A settled refund was given in another way. */
export const leftAtProvider = (
  { total_cents, refunded_cents }: Pick<OrderRow, 'total_cents' | 'refunded_cents'>,
  refunds: readonly RefundRow[],
): number => total_cents - refunded_cents + settledCentsOf(refunds);

/** Matches the refund only in the attempt that was read, because the provider's answer is about that attempt. */
const asRead = ({ id, attempt }: OrderRefund) => sql<boolean>`refunds.id = ${id} AND attempt = ${attempt}`;

/**
 * Matches a refund that is neither done nor failed with this provider id. A refund that failed at the provider never
 * becomes valid again, so an answer that says otherwise is outdated.
 */
const isNotOver = (providerId: string) =>
  sql<boolean>`refunds.state <> 'done' AND NOT (refunds.state = 'failed' AND provider_id IS NOT DISTINCT FROM ${providerId})`;

/**
 * Records that the provider refused a refund of a locked order. False, without effect, when that does not matter: it
 * was done or accepted meanwhile, or a pending refund of all that is left includes it.
 */
export async function markRefundRefused(trx: Transaction, refund: OrderRefund, reason: string): Promise<boolean> {
  const isIncluded = isRest(refund)
    ? sql`false`
    : sql`EXISTS (
        SELECT FROM refunds AS rest WHERE rest.order_id = ${refund.order_id} AND rest.state = 'pending'
          AND ${isRestRow('rest')})`;
  return hasRow(trx)`
    UPDATE refunds SET state = 'failed', failure = ${reason}
    WHERE ${asRead(refund)} AND state <> 'done' AND provider_id IS NULL AND NOT ${isIncluded} RETURNING id`;
}

/** Records that the provider has accepted a refund whose money is not with the buyer yet. */
export const markRefundAccepted = (trx: Transaction, refund: OrderRefund, providerId: string) =>
  sql`
    UPDATE refunds SET state = 'pending', provider_id = ${providerId}, failure = NULL
    WHERE ${asRead(refund)} AND ${isNotOver(providerId)}`.execute(trx);

/**
 * Records that a refund failed after the provider had accepted it, or even after it was done. Returns undefined,
 * without effect, when the failure is already recorded or belongs to an earlier attempt.
 */
export const markRefundBounced = (
  trx: Transaction,
  refund: OrderRefund,
  { id: providerId, reason }: { id: string; reason: string },
) => firstRowOf<{ wasDone: boolean }>(trx)`
  UPDATE refunds SET state = 'failed', provider_id = ${providerId}, failure = ${reason}, finished_at = NULL
  FROM (SELECT id, state FROM refunds WHERE id = ${refund.id}) AS before
  WHERE ${asRead(refund)} AND settled_note IS NULL
    AND (provider_id IS NULL OR provider_id = ${providerId})
    AND NOT (refunds.state = 'failed' AND provider_id IS NOT NULL)
  RETURNING before.state = 'done' AS "wasDone"`;

/**
 * Marks a refund as done, together with the refunds that the same provider refund includes. `card` is where the money
 * went, if known. Returns false, without effect, when another call was first.
 */
export async function markRefundDone(
  trx: Transaction,
  refund: OrderRefund,
  { given, card, included, now }: { given: string; card: PaidCard | undefined; included: string[]; now: Date },
): Promise<boolean> {
  const done = {
    state: 'done' as const,
    provider_id: given,
    failure: null,
    finished_at: now,
    card_brand: card?.brand ?? null,
    card_last4: card?.last4 ?? null,
  };
  const ours = trx.updateTable('refunds').set(done);
  const { numUpdatedRows } = await ours.where(asRead(refund)).where(isNotOver(given)).executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  if (included.length > 0) await ours.where('id', 'in', included).execute();
  return true;
}

/** Records that a failed refund was settled in another way. False, without effect, unless this attempt failed. */
export const markRefundSettled = (
  trx: Transaction,
  refund: OrderRefund,
  { note, now }: { note: string; now: Date },
) => hasRow(trx)`
  UPDATE refunds SET state = 'done', provider_id = NULL, failure = NULL, settled_note = ${note}, finished_at = ${now}
  WHERE ${asRead(refund)} AND state = 'failed' RETURNING id`;

/** Sets refunds of a locked order that were settled with this note back to `failed`. Returns false when there are none. */
export const reopenSettled = (trx: Transaction, orderId: string, reopened: { note: string; failure: string }) =>
  hasRow(trx)`
  UPDATE refunds SET state = 'failed', settled_note = NULL, failure = ${reopened.failure}, finished_at = NULL
  WHERE order_id = ${orderId} AND state = 'done' AND settled_note = ${reopened.note} RETURNING id`;

/**
 * Splits a failed refund of which a part is given: the part becomes a refund of an amount that is done. A credit note that
 * the refund has is of both. Its order must be locked. Returns what is left of the refund.
 */
export async function splitOffGiven(
  trx: Transaction,
  refund: OrderRefund,
  { given, cents, now }: { given: { id: string }; cents: number; now: Date },
): Promise<OrderRefund> {
  const { id: provider_id } = given;
  await sql`
    INSERT INTO refunds (id, order_id, cents, reason, user_id, state, is_amount, provider_id, created_at, finished_at, split_from)
    SELECT ${uuidv7()}, order_id, ${cents}, reason, user_id, 'done', true, ${provider_id}, ${now}, ${now},
      coalesce(split_from, (SELECT refund_id FROM receipts WHERE refund_id = refunds.id))
    FROM refunds WHERE id = ${refund.id}`.execute(trx);
  await sql`UPDATE refunds SET cents = cents - ${cents} WHERE ${asRead(refund)}`.execute(trx);
  return { ...refund, cents: refund.cents - cents };
}

/** Begins the next attempt of a failed refund. Returns false, without effect, unless it has failed in this attempt. */
export const beginNextAttempt = (trx: Transaction, refund: OrderRefund) => hasRow(trx)`
  UPDATE refunds SET state = 'pending', provider_id = NULL, failure = NULL, attempt = attempt + 1
  WHERE ${asRead(refund)} AND state = 'failed' RETURNING id`;

/**
 * Sets a refused refund to `pending` before it is requested again, so that nobody settles it, or a refund that it
 * includes, in another way meanwhile (isSettleable). Its order must be locked. Returns false, without effect, when the
 * refund was settled, accepted or retried meanwhile.
 */
export const markAskedAgain = (trx: Transaction, refund: OrderRefund) => hasRow(trx)`
  UPDATE refunds SET state = 'pending', failure = NULL
  WHERE ${asRead(refund)} AND state = 'failed' AND provider_id IS NULL RETURNING id`;

/** Pause between two requests about refunds that the provider has refused or not finished. */
const ASK_AGAIN_MS = HOUR_MS;

/**
 * Updates an order, which must be locked, from its refunds. `refunded_cents` is the sum of the refunds that are done; a
 * `refunding` order is `refunded` when all are done. The sweeper's next visit stays soon while a pending refund still
 * has to be requested. It is an hour later if the others were refused or only have to be followed.
 */
export async function applyRefunds(trx: Transaction, orderId: string, now: Date) {
  const order = await rowOf<Pick<OrderRow, 'state' | 'refunded_cents'>>(trx)`
    UPDATE orders SET refunded_cents = sums.done,
      state = CASE WHEN state NOT IN ('refunding', 'refunded') THEN state WHEN sums.unfinished = 0 THEN 'refunded' ELSE 'refunding' END,
      refunded_at = CASE WHEN state NOT IN ('refunding', 'refunded') THEN refunded_at
        WHEN sums.unfinished = 0 THEN coalesce(refunded_at, ${now}) END,
      sweep_at = CASE WHEN sums.unfinished = 0 THEN NULL
        WHEN sums.unsent > 0 AND NOT sums.includes THEN coalesce(sweep_at, ${now}::timestamptz)
        ELSE ${new Date(now.getTime() + ASK_AGAIN_MS)}::timestamptz END
    FROM (
      SELECT coalesce(sum(cents) FILTER (WHERE refunds.state = 'done'), 0)::integer AS done,
        count(*) FILTER (WHERE refunds.state <> 'done') AS unfinished,
        count(*) FILTER (WHERE refunds.state = 'pending' AND provider_id IS NULL) AS unsent,
        coalesce(bool_or(refunds.state = 'pending' AND provider_id IS NOT NULL AND ${isRestRow('refunds')}), false) AS includes
      FROM refunds WHERE order_id = ${orderId}) AS sums
    WHERE id = ${orderId}
    RETURNING state, orders.refunded_cents`;
  await followLoss(trx, orderId);
  return order;
}

export const findCancellation = (db: Database, orderId: string) =>
  db.selectFrom('cancellations').select('at').where('order_id', '=', orderId).executeTakeFirst();
