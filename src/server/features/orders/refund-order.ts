import { v7 as uuidv7 } from 'uuid';
import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import { refundCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { PaymentRefused } from '../../platform/payments/payments.ts';
import { endAlert, raiseAlert } from '../admin/alerts.queries.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { withdrawCountedUnits } from '../catalog/counted-stock.queries.ts';
import { withdrawSoldItems, withdrawUnits } from '../inventory/inventory.queries.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { isRefundable } from './order-status.ts';
import {
  getOrder,
  listOrderLines,
  lockOrder,
  lockOrderAsAdmin,
  nextSweep,
  totalsOfOrder,
  updateOrder,
} from './orders.queries.ts';
import { followParcels } from './parcels.queries.ts';
import {
  addRefundedCents,
  insertRefund,
  isRest,
  listRefunds,
  markRefundDone,
  markRefundFailed,
  type OrderRefund,
  refundedUnitsOf,
  sumOf,
} from './refunds.queries.ts';

// How long after a refusal the provider is asked again; the alert asks a person to solve what causes it meanwhile.
const RETRY_REFUSED_MS = 60 * 60 * 1000;

/** The lines to refund with their units; all that is left of the order when left out. */
type WantedLines = readonly { line: string; quantity: number }[] | undefined;

/**
 * An administrator refunds a paid order: all that is left, or units of lines. The same draft refunds once. Throws
 * NOT_FOUND and REFUND_REFUSED.
 */
export async function refundByAdmin(
  deps: Deps,
  input: { orderId: string; draft?: string | undefined; reason: string; lines?: WantedLines; actor: Actor },
): Promise<void> {
  const { orderId, draft, reason, lines, actor } = input;
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    if (draft && (await listRefunds(trx, [orderId])).some(({ id }) => id === draft)) return;
    if (!isRefundable(order)) {
      throw new AppError('REFUND_REFUSED', 'Only a paid order with money left can be refunded');
    }
    const cents = await beginRefund(deps, trx, order, { id: draft, reason, lines, userId: actor.userId });
    const summary = `Refunded ${formatPrice(cents)}: ${reason}`;
    await writeAudit(deps, trx, { actor, action: 'order.refunded', subject: { type: 'order', id: orderId }, summary });
  });
  await tryFinishRefunds(deps, orderId);
}

/** Refunds all that is left of a captured order. Safe to call again; the sweeper finishes what fails here. */
export async function refundOrder(deps: Deps, orderId: string, reason: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    // The money of a cancelled order may have been captured without us: nothing was delivered for it.
    if (order.state !== 'fulfilled' && order.state !== 'cancelled') return;
    await beginRefund(deps, trx, order, { reason });
  });
  deps.crashPoint('refund-begun');
  await finishRefunds(deps, orderId);
}

/**
 * Follows what the provider has refunded: when that is all, the order ends. Answers the cents that the shop knows nothing
 * of, given by hand at the provider: of those a person must decide.
 */
export async function followRefund(deps: Deps, order: OrderRow): Promise<number> {
  const refundedCents = await deps.payments.refundedCents(order.payment_intent_id ?? '');
  if (refundedCents >= order.total_cents) {
    await refundOrder(deps, order.id, 'Refunded at the provider');
    return 0;
  }
  return Math.max(0, refundedCents - sumOf(await listRefunds(deps.db, [order.id])));
}

/**
 * Step 1: writes the refund of a locked order down and withdraws its goods, in one transaction, so that nobody reads them
 * afterwards. Answers its cents of USD. Throws REFUND_REFUSED for lines of another order, for more units than are left,
 * when no money is left, and when another order's refund has this id.
 */
export async function beginRefund(
  deps: Pick<Deps, 'clock'>,
  trx: Transaction,
  order: OrderRow,
  request: { id?: string | undefined; reason: string; lines?: WantedLines; userId?: string | null },
): Promise<number> {
  const { id = uuidv7(), reason, lines: wanted, userId = null } = request;
  const now = deps.clock.now();
  const earlier = await listRefunds(trx, [order.id]);
  const lines = linesToRefund(await listOrderLines(trx, order.id), refundedUnitsOf(earlier), wanted);
  const rest = lines.every(({ quantity, refundedQuantity, units }) => refundedQuantity + units === quantity);
  const cents = rest ? order.total_cents - sumOf(earlier) : refundCents(totalsOfOrder(order), lines);
  if (cents <= 0) throw new AppError('REFUND_REFUSED', 'Nothing is left to refund');

  const refunded = lines.filter(({ units }) => units > 0);
  const inserted = await insertRefund(
    trx,
    { id, order_id: order.id, cents, reason, user_id: userId, state: 'pending', created_at: now },
    rest ? [] : refunded.map((line) => ({ order_line_id: line.id, quantity: line.units })),
  );
  if (!inserted) throw new AppError('REFUND_REFUSED', 'This refund was already given on another order');
  await withdrawCountedUnits(trx, refunded, now);
  if (rest) await withdrawSoldItems(trx, order.id);
  else for (const line of refunded) await withdrawUnits(trx, line.id, line.units);
  // The sweeper finishes the refund, should this process end. A refund of the rest ends the order.
  const ends = rest ? ({ state: 'refunding', refund_reason: reason } as const) : {};
  await updateOrder(trx, order.id, { sweep_at: nextSweep(now), ...ends });
  // What is left may all be shipped already.
  if (order.type === 'physical' && order.state === 'fulfilled' && !rest) await followParcels(trx, order.id, now);
  return cents;
}

/** `units` are refunded now, `refundedQuantity` were refunded before. */
type LineToRefund = OrderLineRow & { unitPriceCents: number; refundedQuantity: number; units: number };

function linesToRefund(
  lines: readonly OrderLineRow[],
  refundedUnits: ReadonlyMap<string, number>,
  wanted: WantedLines,
): LineToRefund[] {
  if (wanted?.some((one) => !lines.some(({ id }) => id === one.line))) {
    throw new AppError('REFUND_REFUSED', 'These lines are not of this order');
  }
  return lines.map((line) => {
    const refundedQuantity = refundedUnits.get(line.id) ?? 0;
    const left = line.quantity - refundedQuantity;
    const units = wanted?.reduce((sum, one) => (one.line === line.id ? sum + one.quantity : sum), 0) ?? left;
    if (units > left) {
      throw new AppError('REFUND_REFUSED', `Of “${line.name}” ${left} of ${line.quantity} can be refunded`);
    }
    return { ...line, unitPriceCents: line.unit_price_cents, refundedQuantity, units };
  });
}

/** Steps 2 and 3 at once. When the provider is away, the refund is written down, and the sweeper finishes it. */
export async function tryFinishRefunds(deps: Deps, orderId: string): Promise<void> {
  deps.crashPoint('refund-begun');
  try {
    await finishRefunds(deps, orderId);
  } catch (error) {
    deps.log.error({ err: error, orderId }, 'a refund is left to the sweeper');
  }
}

/**
 * Steps 2 and 3 for every unfinished refund of an order; the provider gives each once, however often it is asked. A refund
 * of all that is left is the only one that is asked for: it includes the units that are still being refunded.
 */
export async function finishRefunds(deps: Deps, orderId: string): Promise<void> {
  const { payment_intent_id: intentId } = await getOrder(deps.db, orderId);
  if (intentId === null) return;
  const refunds = await listRefunds(deps.db, [orderId]);
  // Refused ones come last: their next refusal makes the whole order wait for an hour.
  const unfinished = ['pending', 'failed'].flatMap((state) => refunds.filter((one) => one.state === state));
  const rest = unfinished.find(isRest);
  const several = refunds.length > 1 || rest === undefined;
  const refusals: PaymentRefused[] = [];
  for (const refund of rest ? [rest] : unfinished) {
    const refusal = await giveBack(deps, refund, intentId, several);
    if (refusal) refusals.push(refusal);
  }
  if (refusals[0]) throw refusals[0];
}

/** Answers a refusal instead of throwing it: the order's other refunds need not wait. `several` refunds must be named. */
async function giveBack(deps: Deps, refund: OrderRefund, intentId: string, several: boolean) {
  const { id: refundId, order_id: orderId, cents } = refund;
  const amountCents = isRest(refund) ? undefined : cents;
  let card: PaidCard | undefined;
  try {
    // Asked before the money moves: afterwards nothing but the database keeps the refund from being finished.
    card = await deps.payments.findCard(intentId);
    if (!(await wasGivenByHand(deps, refund, intentId))) {
      const oneOfSeveral = several ? { refundId, amountCents } : undefined;
      const { status } = await deps.payments.refundIntent({ intentId, orderId, oneOfSeveral });
      if (status === 'failed' || status === 'canceled') {
        throw new PaymentRefused(status, 'The refund failed at the provider');
      }
    }
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return (await recordRefusal(deps, refund)) ? error : undefined;
  }
  deps.crashPoint('refunded-at-provider');
  await finishRefund(deps, refund, card);
}

/**
 * After a failed refund, staff may refund in the provider's dashboard. Such a refund does not name ours, so its cents are
 * compared with those of our refunds that are done although the provider does not name them: each counts for one of ours.
 */
async function wasGivenByHand(deps: Deps, refund: OrderRefund, intentId: string): Promise<boolean> {
  if (refund.state !== 'failed' || isRest(refund)) return false;
  const given = await deps.payments.listRefunds(intentId);
  const named = new Set(given.map(({ refundId }) => refundId));
  if (named.has(refund.id)) return false;
  const byHand = given.filter(({ refundId }) => refundId === undefined);
  const ours = await listRefunds(deps.db, [refund.order_id]);
  const done = ours.filter(({ state, id }) => state === 'done' && !named.has(id));
  return sumOf(byHand) - sumOf(done) >= refund.cents;
}

/** False when the refusal does not matter (markRefundFailed). */
async function recordRefusal(deps: Deps, refund: OrderRefund): Promise<boolean> {
  const orderId = refund.order_id;
  const retryAt = new Date(deps.clock.now().getTime() + RETRY_REFUSED_MS);
  const hasFailed = await deps.db.transaction().execute(async (trx) => {
    await lockOrder(trx, orderId);
    return markRefundFailed(trx, refund, retryAt);
  });
  const alert = {
    kind: 'refund-failed',
    subject: refund.id,
    orderId,
    message: 'the provider could not refund',
  } as const;
  if (hasFailed) await raiseAlert(deps, alert);
  return hasFailed;
}

/** Step 3. */
async function finishRefund(deps: Deps, refund: OrderRefund, card: PaidCard | undefined): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, refund.order_id);
    if (!(await markRefundDone(trx, refund, { card, now }))) return;
    await endAlert(trx, { kind: 'refund-failed', subject: refund.id }, now);
    await addRefundedCents(trx, refund, now);
    const kind = isRest(refund) ? 'order-refunded' : 'order-refunded-in-part';
    const { id: orderId, contact_email: recipient, user_id: userId } = order;
    await enqueueMail(deps, trx, { kind, recipient, orderId, userId });
  });
}
