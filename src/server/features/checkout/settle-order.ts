import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { isAuthorised, type PaymentIntent, PaymentRefused } from '../../platform/payments/payments.ts';
import { unless } from '../../platform/system-errors.ts';
import { ownerOfPaidOrder } from '../accounts/claim-account.ts';
import { endAlertsOfOrder } from '../admin/alerts.queries.ts';
import { returnTakenUnits } from '../catalog/counted-stock.queries.ts';
import { makeCopies } from '../delivery/make-items.ts';
import { releaseItems } from '../inventory/inventory.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { isOpen, isPaid } from '../orders/order-status.ts';
import {
  type CancelReason,
  type FullOrder,
  findOrderByIntent,
  getOrder,
  lockOrder,
  updateOrder,
  withRefundsAndParcels,
} from '../orders/orders.queries.ts';
import { refundAllThatIsLeft } from '../orders/refund-order.ts';
import { fulfilOrder, pinHeldGoods } from './checkout.queries.ts';
import { MAX_HOLD_MS } from './holds.queries.ts';
import { assertIntentOfOrder, retrievePaced } from './payment-intent.ts';
import { assertSeenTotal, type RequestedCart, sameLines } from './quote-cart.ts';

interface PlacePaidOrder {
  paymentIntentId: string;
  /** Null for a guest. */
  userId: string | null;
  /** The cart that the browser sent. Cart and e-mail are only compared with the order. */
  cart: RequestedCart;
  guestEmail?: string;
}

/**
 * Settles the order of an intent whose card was confirmed according to the browser. Throws PAYMENT_NOT_CONFIRMED also
 * for another buyer's intent; ORDER_MISMATCH or PRICE_CHANGED, before any money moves, when the order differs from what
 * the browser shows; and what settleOrder throws.
 */
export async function placePaidOrder(deps: Deps, input: PlacePaidOrder): Promise<FullOrder> {
  const order = await findOrderByIntent(deps.db, input.paymentIntentId);
  const isBuyers = input.userId === null ? order?.guest : order?.user_id === input.userId;
  if (!order || !isBuyers) throw notConfirmed();
  const otherBuyer = input.guestEmail !== undefined && input.guestEmail !== order.contact_email;
  if (otherBuyer || !sameLines(input.cart, order.lines)) {
    throw new AppError('ORDER_MISMATCH', 'This payment was made for another order');
  }
  assertSeenTotal(input.cart, order.total_cents);
  const settled = await settleOrder(deps, order.id, { byBuyer: true, justRead: order });
  // A browser may place the order again long after it was refunded.
  const [placed] = await withRefundsAndParcels(deps.db, [{ ...settled, lines: order.lines }]);
  return placed as FullOrder;
}

// The current runs by order id. The browser's call and the webhook often arrive together, and share one run.
const running = new WeakMap<Deps, Map<string, Promise<OrderRow>>>();

// The last intents whose orders this process has settled: their webhooks, a moment later, need not read the order.
const settledIntents = new LRUCache<string, true>({ max: 1_000 });

/** Whether this process has settled the order of this intent; false if another process has. */
export const isSettledHere = (paymentIntentId: string): boolean => settledIntents.has(paymentIntentId);

interface SettleOptions {
  /** A buyer can repeat the call, so the intent is read at a limited rate. */
  byBuyer?: true;
  /** The order, if the caller has just read it. It may be outdated: pinHeldGoods checks the row under its lock. */
  justRead?: OrderRow;
}

/**
 * Steps 4 to 6 of the money path (docs/architecture.md), and the only code that completes an order: asks the provider,
 * pins the goods, captures the money, delivers the goods. Safe to call concurrently and repeatedly: it continues from
 * the order's state. Returns the fulfilled order. Throws PAYMENT_NOT_CONFIRMED while no money is authorised,
 * PAYMENT_MISMATCH when the payment does not match the order, and PAYMENT_PROVIDER_UNAVAILABLE.
 */
export function settleOrder(deps: Deps, orderId: string, options: SettleOptions = {}): Promise<OrderRow> {
  const runs = running.get(deps) ?? new Map<string, Promise<OrderRow>>();
  running.set(deps, runs);
  const start = () => {
    const run = runs.get(orderId) ?? settle(deps, orderId, options).finally(() => runs.delete(orderId));
    runs.set(orderId, run);
    return run;
  };
  // The failed run may have asked the provider just before the card was confirmed, so this caller starts a new run.
  return runs.get(orderId)?.catch(start) ?? start();
}

/**
 * Settles an order if its money is authorised or captured. No effect when nothing is authorised, or when the payment
 * does not match the order (then settleOrder raises an alert).
 */
export async function settleIfAuthorised(deps: Deps, orderId: string): Promise<void> {
  await settleOrder(deps, orderId).catch(
    unless((error) => isAppError(error, 'PAYMENT_NOT_CONFIRMED', 'PAYMENT_MISMATCH')),
  );
}

async function settle(deps: Deps, orderId: string, { byBuyer, justRead }: SettleOptions): Promise<OrderRow> {
  const order = justRead ?? (await getOrder(deps.db, orderId));
  if (isPaid(order)) return order;
  if (order.state === 'cancelled' || order.payment_intent_id === null) throw notConfirmed();

  const intentId = order.payment_intent_id;
  const intent = await (byBuyer
    ? retrievePaced(deps, { ...order, intentId }, 'finish')
    : deps.payments.retrieveIntent(intentId));
  await assertIntentOfOrder(deps, order, intent);
  if (intent.status === 'canceled' && order.state === 'capturing') await cancelOrder(deps, orderId, 'payment-failed');
  if (!isAuthorised(intent)) throw notConfirmed();
  // The money was captured before this run, and refunded at the provider since.
  if (intent.status === 'succeeded' && (await deps.payments.refundedCents(intent.id)) >= order.total_cents) {
    await refundUndelivered(deps, orderId, { reason: 'Refunded at the provider', capturedCents: intent.receivedCents });
    throw notConfirmed();
  }

  await pinGoods(deps, orderId);
  deps.crashPoint('goods-pinned');

  await capture(deps, order, intent);
  deps.crashPoint('payment-captured');

  const fulfilled = await handOver(deps, order, intent);
  deps.crashPoint('order-fulfilled');
  settledIntents.set(intent.id, true);
  return fulfilled;
}

/** Pins the goods to this buyer. The money is captured only after this commit is on disk. */
async function pinGoods(deps: Deps, id: string): Promise<void> {
  const { state, complete } = await pinHeldGoods(deps.db, id);
  if (state === 'cancelled') throw notConfirmed();
  if (!complete) throw new Error(`Order ${id} does not hold the goods that it ordered`);
}

async function capture(deps: Deps, order: OrderRow, intent: PaymentIntent): Promise<void> {
  if (intent.status === 'succeeded') return;
  try {
    // Staff may have captured a part in the dashboard since the intent was read.
    const captured = await deps.payments.captureIntent({ intentId: intent.id, orderId: order.id });
    await assertIntentOfOrder(deps, order, captured);
    if (captured.status !== 'succeeded') throw unfinished();
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    // Cancel what may be left of the authorisation before the goods are released.
    const left = await deps.payments.cancelIntent({ intentId: intent.id, orderId: order.id });
    if (left.status === 'succeeded') return assertIntentOfOrder(deps, order, left);
    await cancelOrder(deps, order.id, 'payment-failed');
    throw notConfirmed();
  }
}

/** Sells the goods to the buyer and writes the mail, in one transaction; the money is captured. */
async function handOver(deps: Deps, order: OrderRow, { authorisedAt, card }: PaymentIntent): Promise<OrderRow> {
  const now = deps.clock.now();
  const { delivered, isFirst } = await deps.db.transaction().execute(async (trx) => {
    const owner = await ownerOfPaidOrder(trx, order, now);
    const fulfilled = await fulfilOrder(trx, order, { ...owner, card, now });
    if (!fulfilled) {
      const finished = await getOrder(trx, order.id);
      if (finished.state === 'cancelled') throw notConfirmed();
      return { delivered: finished, isFirst: false };
    }
    if (fulfilled.copied.length > 0) await makeCopies(deps, trx, fulfilled.copied, now);
    await enqueueOrderMail(deps, trx, 'order-delivered', fulfilled.order);
    await endLateAlert(trx, order, now);
    return { delivered: fulfilled.order, isFirst: true };
  });
  if (isFirst) {
    deps.metrics.order('fulfilled');
    deps.metrics.captured(order.total_cents);
    if (authorisedAt) deps.metrics.settled((deps.clock.now().getTime() - authorisedAt.getTime()) / 1_000);
  }
  return delivered;
}

const unfinished = () =>
  new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The payment is not finished yet. Please try again in a minute.');
const notConfirmed = () => new AppError('PAYMENT_NOT_CONFIRMED', 'Payment failed. Please try again.');

export interface Cancellation {
  reason: CancelReason;
  /** Writes in the transaction that cancels the order. */
  alsoWrite?: ((trx: Transaction, order: OrderRow) => Promise<void>) | undefined;
}

/**
 * Cancels an unpaid order in the shop and puts its goods back on sale. No effect on a paid or cancelled order. The
 * caller must first cancel the payment at the provider: otherwise goods would be on sale whose payment can still be
 * captured. `alsoWrite` writes in the same transaction. The provider's event about the cancelled payment names no
 * reason and may be handled first; then this call still writes `reason` and `alsoWrite`.
 */
export async function cancelOrder(
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite?: (trx: Transaction, order: OrderRow) => Promise<void>,
): Promise<void> {
  const isCancelled = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state === 'cancelled' && order.cancel_reason === 'payment-failed' && reason !== 'payment-failed') {
      await updateOrder(trx, orderId, { cancel_reason: reason });
      if (alsoWrite) await alsoWrite(trx, order);
      return false;
    }
    if (!isOpen(order)) return false;
    await returnTakenUnits(trx, orderId, deps.clock.now());
    await releaseItems(trx, orderId);
    const cancelled = { state: 'cancelled', cancel_reason: reason, cancelled_at: deps.clock.now() } as const;
    await updateOrder(trx, orderId, { ...cancelled, sweep_at: null });
    await endLateAlert(trx, order, cancelled.cancelled_at);
    if (alsoWrite) await alsoWrite(trx, order);
    return true;
  });
  if (isCancelled) deps.metrics.order('cancelled');
  deps.crashPoint('goods-released');
}

/** Cancels an order whose money was captured or refunded outside of the shop. Refunds the rest; delivers nothing. */
export async function refundUndelivered(
  deps: Deps,
  orderId: string,
  refund: { reason: string; capturedCents: number },
): Promise<void> {
  await cancelOrder(deps, orderId, 'payment-failed');
  await refundAllThatIsLeft(deps, orderId, refund);
}

// The alert KedaiPaidNotDelivered of Prometheus waits as long (deploy/monitoring/alerts.yml).
const LATE_AFTER_MS = MAX_HOLD_MS + 5 * MINUTE_MS;

type Dated = Pick<OrderRow, 'id' | 'created_at'>;

export const isLate = ({ created_at: createdAt }: Dated, now: Date) =>
  now.getTime() - createdAt.getTime() > LATE_AFTER_MS;

/** Ends the alert about a late order. Called in the transaction that delivers or cancels the order. */
async function endLateAlert(trx: Transaction, order: Dated, now: Date): Promise<void> {
  if (isLate(order, now)) await endAlertsOfOrder(trx, order.id, ['not-delivered'], now);
}
