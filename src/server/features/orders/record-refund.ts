import type { PaidCard } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { isValid, type ProviderRefund, REFUSED_AS_DISPUTED } from '../../platform/payments/payments.ts';
import { endAlertsOfOrder, endAlertsOfRefund, raiseAlert } from '../admin/alerts.queries.ts';
import { lockProductsOfOrder } from '../catalog/counted-stock.queries.ts';
import { restoreReturnedItems } from '../inventory/inventory.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { lockOrder } from './orders.queries.ts';
import {
  applyRefunds,
  findCancellation,
  isRest,
  isSettleable,
  isStillOwed,
  leftAtProvider,
  listRefunds,
  markRefundAccepted,
  markRefundBounced,
  markRefundDone,
  markRefundRefused,
  markRefundSettled,
  type OrderRefund,
  reopenSettled,
  settledCentsOf,
  sumOf,
} from './refunds.queries.ts';

/** The provider's refund that pays one of ours, and, if needed, all refunds of the payment. */
interface RefundAnswer {
  given: ProviderRefund;
  all?: readonly ProviderRefund[] | undefined;
  card?: PaidCard | undefined;
}

/**
 * Step 3 of a refund (docs/architecture.md): records the provider's status. The refund is done when it has succeeded at
 * the provider, and under way until then. If it fails, even weeks after it was done, its money is owed again and an
 * alert is raised. A buyer who got a mail that the money was refunded then gets a mail that it was not.
 */
export async function recordRefund(deps: Deps, refund: OrderRefund, answer: RefundAnswer): Promise<void> {
  const { status } = answer.given;
  if (status === 'succeeded') return recordDone(deps, refund, answer);
  if (!isValid(answer.given)) return recordBounced(deps, refund, answer.given);
  await deps.db.transaction().execute(async (trx) => {
    await lockOrder(trx, refund.order_id);
    await markRefundAccepted(trx, refund, answer.given.id);
    await applyRefunds(trx, refund.order_id, deps.clock.now());
  });
}

async function recordDone(deps: Deps, refund: OrderRefund, { given, all, card }: RefundAnswer): Promise<void> {
  const { order_id: orderId } = refund;
  const now = deps.clock.now();
  const change = await deps.db.transaction().execute(async (trx) => {
    const before = await lockOrder(trx, orderId);
    const included = isRest(refund) ? await listIncluded(trx, before, refund, all) : [];
    if (!(await markRefundDone(trx, refund, { given: given.id, card, included, now }))) return undefined;
    for (const id of [refund.id, ...included]) await endAlertsOfRefund(trx, id, now);
    return { before, after: await endRefund(deps, trx, before) };
  });
  if (change) countRefund(deps, change);
}

/**
 * Updates an order, which must be locked, after a refund is done, and writes the mail. After the last refund of an
 * order that its buyer cancelled, puts its items on sale again. Returns the order's new state and refunded sum.
 */
export async function endRefund(deps: Deps, trx: Transaction, order: OrderRow) {
  const now = deps.clock.now();
  const orderId = order.id;
  const isLast = (await listRefunds(trx, [orderId])).every(({ state }) => state === 'done');
  if (isLast && order.state === 'refunding' && (await findCancellation(trx, orderId))) {
    await lockProductsOfOrder(trx, orderId);
    await restoreReturnedItems(trx, orderId, now);
  }
  const after = await applyRefunds(trx, orderId, now);
  const kind = after.state === 'refunded' ? 'order-refunded' : 'order-refunded-in-part';
  await enqueueOrderMail(deps, trx, kind, order);
  if (after.state === 'refunded') await endAlertsOfOrder(trx, orderId, ['dispute-reversed'], now);
  return after;
}

// Stored as the note of such a refund, by which reopenTakenRefunds finds it.
const TAKEN = 'The bank took the money in a dispute';

/**
 * Settles the refunds of a locked order that the provider refuses because the bank has taken all of the money for the
 * cardholder: `lostCents`, by lost disputes. Leaves one that may be under way. Returns what to count after commit.
 */
export async function settleTakenRefunds(
  deps: Deps,
  trx: Transaction,
  { order, lostCents }: { order: OrderRow; lostCents: number },
): Promise<RefundChange[]> {
  const refunds = await listRefunds(trx, [order.id]);
  if (lostCents < leftAtProvider(order, refunds)) return [];
  const now = deps.clock.now();
  const changes: RefundChange[] = [];
  for (const refund of refunds.filter(({ failure }) => failure === REFUSED_AS_DISPUTED)) {
    if (!isSettleable(refund, refunds)) continue;
    if (!(await markRefundSettled(trx, refund, { note: TAKEN, now }))) continue;
    await endAlertsOfRefund(trx, refund.id, now);
    const before = changes.at(-1)?.after ?? order;
    changes.push({ before, after: await endRefund(deps, trx, { ...order, ...before }) });
  }
  return changes;
}

/**
 * Reopens the refunds of a locked order that settleTakenRefunds settled, because the bank has returned the money to the
 * shop: its buyer is owed them again, and the sweeper requests them. Returns false, without effect, when there are none.
 */
export async function reopenTakenRefunds(deps: Deps, trx: Transaction, orderId: string): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await reopenSettled(trx, orderId, { note: TAKEN, failure: REFUSED_AS_DISPUTED }))) return false;
  // Staff may have given them in the dashboard before the shop knew of the win.
  await endAlertsOfOrder(trx, orderId, ['refunded-twice'], now);
  await applyRefunds(trx, orderId, now);
  return true;
}

/** The order before and after a refund was done. */
export type RefundChange = Record<'before' | 'after', Pick<OrderRow, 'state' | 'refunded_cents'>>;

/** Counts a finished refund in the metrics. Call it after the commit. */
export function countRefund({ metrics }: Pick<Deps, 'metrics'>, { before, after }: RefundChange): void {
  metrics.refunded(after.refunded_cents - before.refunded_cents);
  if (after.state === 'refunded') metrics.order('refunded');
}

/**
 * Lists the unfinished refunds that a refund of all that was left includes: all but those that have their own refund at
 * the provider, and those that the money still left there can pay, oldest first.
 */
async function listIncluded(
  trx: Transaction,
  order: OrderRow,
  refund: OrderRefund,
  all: readonly ProviderRefund[] = [],
): Promise<string[]> {
  const ours = await listRefunds(trx, [order.id]);
  const valid = all.filter(isValid);
  const given = new Set(valid.map(({ refundId }) => refundId));
  const open = ours.filter((one) => one.id !== refund.id && isStillOwed(one) && !given.has(one.id));
  let leftCents = order.total_cents - settledCentsOf(ours) - sumOf(valid);
  return open.flatMap(({ id, cents }) => {
    if (leftCents < cents) return [id];
    leftCents -= cents;
    return [];
  });
}

async function recordBounced(deps: Deps, refund: OrderRefund, { id, status, failure }: ProviderRefund): Promise<void> {
  const { order_id: orderId } = refund;
  const reason = failure ?? status;
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    const bounced = await markRefundBounced(trx, refund, { id, reason });
    if (!bounced) return;
    await applyRefunds(trx, orderId, deps.clock.now());
    const alert = { kind: 'refund-failed', subject: `${refund.id}/${id}`, orderId, logged: { reason } } as const;
    await raiseAlert({ ...deps, db: trx }, { ...alert, message: 'a refund has failed' });
    if (bounced.wasDone) await enqueueOrderMail(deps, trx, 'refund-returned', order);
  });
}

/**
 * Records that the provider refused a refund, and raises an alert once for each attempt. Returns false, without effect,
 * when the refusal does not matter (markRefundRefused).
 */
export async function recordRefusal(deps: Deps, refund: OrderRefund, reason: string): Promise<boolean> {
  const { id, attempt, order_id: orderId } = refund;
  return deps.db.transaction().execute(async (trx) => {
    await lockOrder(trx, orderId);
    if (!(await markRefundRefused(trx, refund, reason))) return false;
    await applyRefunds(trx, orderId, deps.clock.now());
    const alert = { kind: 'refund-failed', subject: `${id}/${attempt}`, orderId } as const;
    await raiseAlert({ ...deps, db: trx }, { ...alert, message: 'the provider could not refund' });
    return true;
  });
}
