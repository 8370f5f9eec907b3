import { v7 as uuidv7 } from 'uuid';
import type { BodyOf } from '../../../shared/api.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { AppError, sentBefore } from '../../../shared/errors.ts';
import { refundCents, toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { endAlertsOfOrder } from '../admin/alerts.queries.ts';
import { withdrawCountedUnits } from '../catalog/counted-stock.queries.ts';
import { followWaitingUnits } from '../delivery/delivery.queries.ts';
import { withdrawSoldItems, withdrawUnits } from '../inventory/inventory.queries.ts';
import { changeOrder, type OrderEntry } from './admin-order-actions.ts';
import { finishRefunds, tryFinishRefunds } from './finish-refunds.ts';
import { assertNotDisputed, listFreezes } from './freezes.queries.ts';
import { isRefundable } from './order-status.ts';
import {
  type AdminChange,
  listOrderLines,
  lockOrder,
  nextSweep,
  totalsOfOrder,
  updateOrder,
} from './orders.queries.ts';
import { areSameUnits, followParcels, type LineUnits } from './parcels.queries.ts';
import { insertRefund, isRest, listRefunds, type OrderRefund, refundedUnitsOf, sumOf } from './refunds.queries.ts';

type RefundBody = BodyOf<'POST /admin/orders/:id/refund'>;
type WantedRefund = Omit<RefundBody, 'draft'>;

interface RefundRequest extends WantedRefund {
  id?: string | undefined;
  /** The item to withdraw before the other items of its line. */
  itemId?: string | undefined;
  userId?: string | null;
  /** For an order that was never delivered, of whose total only a part may have been captured. */
  capturedCents?: number;
}

/**
 * Refunds a paid order for an administrator: all that is left, units of lines, or an amount. A draft refunds only once.
 * Throws NOT_FOUND, and REFUND_REFUSED also for a draft that was sent before with other values.
 */
export async function refundByAdmin(deps: Deps, input: RefundBody & AdminChange): Promise<void> {
  const { orderId, draft, actor, ...wanted } = input;
  await changeOrder(deps, { orderId, actor }, async (trx, order) => {
    const refunds = await listRefunds(trx, [orderId]);
    const sent = refunds.find(({ id }) => id === draft);
    if (!sent) return refundLocked(deps, trx, order, { ...wanted, id: draft, userId: actor.userId });
    if (isSameRefund(sent, wanted, unitsLeft(await listOrderLines(trx, orderId), refunds))) return undefined;
    const given = `refunded ${formatPrice(sent.cents)} already`;
    throw sentBefore('REFUND_REFUSED', `${given}. A refund that you make now is given in addition.`);
  });
  await tryFinishRefunds(deps, orderId);
}

function isSameRefund(sent: OrderRefund, wanted: WantedRefund, left: LineUnits[]): boolean {
  const { reason, message = '', lines, amount } = wanted;
  if (sent.reason !== reason || sent.message !== message) return false;
  if (amount !== undefined) return sent.is_amount && sent.cents === toCents(amount);
  // A refund of all remaining units was stored as a refund of all that was left.
  return lines ? areSameUnits(lines, isRest(sent) ? left : sent.units) : isRest(sent);
}

/** The units of an order that no refund of units covers. */
const unitsLeft = (lines: readonly OrderLineRow[], refunds: readonly OrderRefund[]): LineUnits[] =>
  linesToRefund(lines, refundedUnitsOf(refunds))
    .filter(({ units }) => units > 0)
    .map(({ id, units }) => ({ order_line_id: id, quantity: units }));

/**
 * Begins an administrator's refund in `changeOrder`. After the commit, the caller must call tryFinishRefunds. Throws
 * REFUND_REFUSED.
 */
export async function refundLocked(
  deps: Deps,
  trx: Transaction,
  order: OrderRow,
  request: RefundRequest,
): Promise<OrderEntry> {
  if (!isRefundable(order, await listFreezes(trx, order.id))) {
    throw new AppError('REFUND_REFUSED', 'Only a paid order with money left can be refunded');
  }
  await assertNotDisputed(trx, order.id);
  const cents = await beginRefund(deps, trx, order, request);
  return { action: 'order.refunded', summary: `Refunded ${formatPrice(cents)}: ${request.reason}` };
}

/**
 * Refunds all that is left of a delivered order, or of a cancelled order whose money was captured nevertheless. Refunds
 * an order with a lost dispute only if the provider has already refunded its money (`isGivenBack`). A repeated call
 * only finishes the refund. Throws when the provider is unavailable or refuses; then the sweeper finishes the refund.
 */
export async function refundAllThatIsLeft(
  deps: Deps,
  orderId: string,
  { isGivenBack = false, ...refund }: { reason: string; capturedCents?: number; isGivenBack?: boolean },
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    // The money of a cancelled order may have been captured outside of the shop; nothing was delivered for it.
    const mayBegin = order.state === 'fulfilled' || order.state === 'cancelled';
    if (!mayBegin && !(isGivenBack && order.state === 'disputed')) return;
    await beginRefund(deps, trx, order, refund);
  });
  deps.crashPoint('refund-begun');
  await finishRefunds(deps, orderId);
}

/**
 * Step 1 of a refund (docs/architecture.md): stores it and withdraws its goods in the same transaction, so that nobody
 * can read them afterwards. The order must be locked. Returns the refund's amount in cents of USD. Throws REFUND_REFUSED
 * for lines of another order, for more units or money than are left, when nothing is left, and when a refund has this id.
 */
export async function beginRefund(
  deps: Pick<Deps, 'clock'>,
  trx: Transaction,
  order: OrderRow,
  request: RefundRequest,
): Promise<number> {
  const { id = uuidv7(), reason, message = '', itemId, userId = null } = request;
  const now = deps.clock.now();
  const earlier = await listRefunds(trx, [order.id]);
  const ordered = await listOrderLines(trx, order.id);
  const { cents, refunded, coversRest } = measureRefund(order, ordered, earlier, request);
  const inserted = await insertRefund(
    trx,
    {
      id,
      order_id: order.id,
      cents,
      reason,
      message,
      user_id: userId,
      state: 'pending',
      created_at: now,
      is_amount: request.amount !== undefined,
    },
    coversRest ? [] : refunded.map((line) => ({ order_line_id: line.id, quantity: line.units })),
  );
  if (!inserted) throw new AppError('REFUND_REFUSED', 'This refund was already given on another order');
  await withdrawCountedUnits(trx, refunded, { itemId, now });
  if (coversRest) await withdrawSoldItems(trx, order.id, { outcome: 'refunded', now });
  else {
    for (const line of refunded) await withdrawUnits(trx, { lineId: line.id, quantity: line.units, itemId }, now);
  }
  await followWaitingUnits(trx, order.id);
  if (coversRest) await endAlertsOfOrder(trx, order.id, ['dispute-reversed', 'dispute-lost-in-part'], now);
  // A refund of all that is left ends the order. The sweeper finishes the refund if this process ends.
  const ends = coversRest ? ({ state: 'refunding', refund_reason: reason } as const) : {};
  await updateOrder(trx, order.id, { sweep_at: nextSweep(now), ...ends });
  // If all remaining units are shipped, the order is now shipped.
  if (order.type === 'physical' && order.state === 'fulfilled' && !coversRest) await followParcels(trx, order.id, now);
  return cents;
}

/** Returns the cents of a refund, its lines, and whether it is of all that is left. Throws REFUND_REFUSED. */
function measureRefund(
  order: OrderRow,
  ordered: readonly OrderLineRow[],
  earlier: readonly OrderRefund[],
  { amount, lines: wanted, capturedCents = order.total_cents }: RefundRequest,
) {
  const isAmount = amount !== undefined;
  const lines = linesToRefund(ordered, refundedUnitsOf(earlier), isAmount ? [] : wanted);
  const coversRest =
    !isAmount && lines.every(({ quantity, refundedQuantity, units }) => refundedQuantity + units === quantity);
  const left = Math.min(capturedCents, order.total_cents) - sumOf(earlier);
  const wantedCents = isAmount ? toCents(amount) : refundCents(totalsOfOrder(order), lines);
  const cents = coversRest ? left : wantedCents;
  if (cents <= 0) throw new AppError('REFUND_REFUSED', 'Nothing is left to refund');
  // A refund of the last cent ends the order, so it must be a refund of all that is left. Units may cost more than is
  // left if an amount was refunded before.
  if (!coversRest && cents >= left) {
    const message = `Only ${formatPrice(left)} of this order is left: refund all that is left, or less`;
    throw new AppError('REFUND_REFUSED', message);
  }
  return { cents, refunded: lines.filter(({ units }) => units > 0), coversRest };
}

/** A line of the order; `units` are refunded now, `refundedQuantity` were refunded before. */
type LineToRefund = OrderLineRow & { unitPriceCents: number; refundedQuantity: number; units: number };

function linesToRefund(
  lines: readonly OrderLineRow[],
  refundedUnits: ReadonlyMap<string, number>,
  wanted?: WantedRefund['lines'],
): LineToRefund[] {
  if (wanted?.some((one) => !lines.some(({ id }) => id === one.line))) {
    throw new AppError('REFUND_REFUSED', 'These lines are not of this order');
  }
  return lines.map((line) => {
    const refundedQuantity = refundedUnits.get(line.id) ?? 0;
    const left = line.quantity - refundedQuantity;
    const units = wanted?.reduce((sum, one) => (one.line === line.id ? sum + one.quantity : sum), 0) ?? left;
    if (units > left) {
      throw new AppError('REFUND_REFUSED', `Only ${left} of ${line.quantity} units of “${line.name}” can be refunded`);
    }
    return { ...line, unitPriceCents: line.unit_price_cents, refundedQuantity, units };
  });
}
