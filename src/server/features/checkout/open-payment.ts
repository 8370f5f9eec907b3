import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type PaymentIntent, PaymentRefused } from '../../platform/payments/payments.ts';
import { assertOpen } from '../closing/closing.ts';
import type { PayableOrder } from './checkout.queries.ts';
import { holdEndsAtMs, markRetried, resumeHold } from './holds.queries.ts';
import { isOrderOfCart } from './quote-cart.ts';
import { abandonOrder, countDecline, ensureIntentOrCancel, releaseOrder } from './release-order.ts';
import { assertNotRepeated, isOrderOfBuyer, type WriteOrder, writeOrder } from './write-order.ts';

interface OpenPayment extends Omit<WriteOrder, 'checkoutSecret'> {
  /** The secret of the browser's next order. */
  browserSecret: string | undefined;
  /** The message to buyers while the shop is closed. An earlier order then continues only if its card is charged. */
  closed?: string | null | undefined;
  /** Aborted when the buyer no longer waits: no order is begun or kept then, as the browser would not know its id. */
  signal?: AbortSignal;
}

/**
 * Steps 1 and 2 of the money path: writes an order and makes its intent. If Pay is pressed again with the same buyer,
 * cart and total, the order and the intent are reused; otherwise the earlier order is released first. Throws
 * RATE_LIMITED, REPEAT_ORDER, SHOP_CLOSED, PAYMENT_NOT_CONFIRMED when the provider refuses the amount, and what
 * writeOrder throws.
 */
export async function openPayment(
  deps: Deps,
  input: OpenPayment,
): Promise<{ order: PayableOrder; intent: PaymentIntent }> {
  const { previous, browserSecret, buyer, ip } = input;
  await assertDeclinesLeft(deps, input);
  if (buyer.userId === null) await deps.limits.count('guest-payment', { address: ip });
  else await deps.limits.count('customer-payment', { user: buyer.userId });
  const reopened = previous && (await reopen(deps, previous, input));
  if (reopened) return { order: previous, intent: reopened };
  if (previous?.state === 'pending') await giveUp(deps, previous);

  const isUnpaid = !previous || previous.state === 'pending' || previous.state === 'cancelled';
  input.signal?.throwIfAborted();
  const checkoutSecret = (isUnpaid && browserSecret) || randomToken();
  const order = await writeOrder(deps, { ...input, checkoutSecret });
  if (input.signal?.aborted) {
    await abandonOrder(deps, order.id);
    throw input.signal.reason;
  }
  return { order, intent: await openIntent(deps, order) };
}

/** Returns the intent of an earlier order, to be paid again. Undefined if the order is not reusable or has ended. */
async function reopen(deps: Deps, order: OrderRow, input: OpenPayment): Promise<PaymentIntent | undefined> {
  if (!(await isReusable(deps, order, input))) return undefined;
  await resumeHold(deps.db, order);
  const intent = await openIntent(deps, order);
  if (!isUnderWay(intent)) assertOpen(input.closed);
  if (intent.declineId !== undefined) {
    await countDecline(deps, order, intent.declineId);
    await assertDeclinesLeft(deps, input);
  }
  if (intent.status === 'canceled') return undefined;
  if (input.onRepeat) await retry(deps, order, input);
  return intent;
}

const isUnderWay = ({ status }: PaymentIntent) =>
  status !== 'requires_payment_method' && status !== 'requires_confirmation';

/** Throws RATE_LIMITED after too many declined cards: for guests of the IP address, for customers only their own. */
async function assertDeclinesLeft({ limits }: Deps, { buyer: { userId }, ip }: OpenPayment): Promise<void> {
  if (userId === null) await limits.assertLeft('decline', { address: ip });
  else await limits.assertLeft('customer-decline', { user: userId });
}

// An order is not reused if its hold ends sooner, because the hold could end while the card is being confirmed.
const CONFIRMING_MS = 15_000;

async function isReusable(deps: Deps, order: OrderRow, { cart, buyer }: OpenPayment): Promise<boolean> {
  return (
    order.state === 'pending' &&
    holdEndsAtMs(order) > deps.clock.now().getTime() + CONFIRMING_MS &&
    isOrderOfBuyer(order, buyer) &&
    (await isOrderOfCart(deps, order, cart))
  );
}

/**
 * Checks for a repeated order before the buyer pays this order again: after a decline, the buyer may have bought the
 * same goods on another device. From now on, an order of the same goods on another device counts as a repeat of this
 * order.
 */
async function retry(deps: Deps, order: OrderRow, { cart, onRepeat }: OpenPayment): Promise<void> {
  const { id, user_id: userId, checkout_hash: checkoutHash } = order;
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const repeat = { lines: cart.lines, userId, checkoutHash, boundOrderId: id, now };
    if (onRepeat === 'ask') await assertNotRepeated(trx, repeat);
    await markRetried(trx, id, now);
  });
}

/**
 * Releases the order that this browser was paying before, so that its goods can be held for the new order. If this
 * fails, e.g. because the provider is unavailable, the new order is still written, and the sweeper releases the goods
 * later.
 */
async function giveUp(deps: Deps, order: OrderRow): Promise<void> {
  try {
    await releaseOrder(deps, order.id, 'replaced');
  } catch (error) {
    deps.log.warn({ err: error, orderId: order.id }, 'could not release the replaced order');
  }
}

async function openIntent(deps: Deps, order: PayableOrder): Promise<PaymentIntent> {
  const intent = await ensureIntentOrCancel(deps, order, { reason: 'payment-failed', isToBePaid: true });
  if (!(intent instanceof Error)) return intent;
  const isTooSmall = intent instanceof PaymentRefused && intent.reason === 'amount_too_small';
  const tooSmall = isTooSmall && 'Cards cannot be charged less than $0.50';
  throw new AppError('PAYMENT_NOT_CONFIRMED', tooSmall || 'Payment failed. Please try again.');
}
