import { MINUTE_MS } from '../../../shared/durations.ts';
import { isAppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { networkOf, wideNetworkOf } from '../../platform/http/client.ts';
import { isAuthorised, type PaymentIntent, PaymentRefused } from '../../platform/payments/payments.ts';
import type { KeysOf } from '../../platform/rate-limits/rules.ts';
import { unless } from '../../platform/system-errors.ts';
import { isHeldBack } from '../orders/freezes.queries.ts';
import { type CancelReason, getOrder } from '../orders/orders.queries.ts';
import type { PayableOrder } from './checkout.queries.ts';
import { endHold, insertDecline, listOrdersToClose, MAX_HOLD_MS, prolongHold } from './holds.queries.ts';
import { ensureIntent, type IntentOptions } from './payment-intent.ts';
import { type Cancellation, cancelOrder, refundUndelivered, settleOrder } from './settle-order.ts';

/** How long goods stay held after the page was closed. A reload closes the page, too, so the buyer may come back. */
const CLOSED_FOR_MS = MINUTE_MS;

/**
 * Ends an unpaid order: cancels its payment at the provider, and puts the goods back on sale only when the provider
 * reports `canceled`. If the card was authorised after all, settles the order instead. No effect while the provider
 * processes the payment, and on an order that is not pending.
 */
export async function releaseOrder(
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite?: Cancellation['alsoWrite'],
): Promise<void> {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'pending') return;
  const found = await ensureIntentOrCancel(deps, order, { reason, alsoWrite });
  if (!(found instanceof Error)) await release(deps, orderId, found, { reason, alsoWrite });
}

/**
 * Ends an unpaid order whose hold has ended or whose buyer has left, as releaseOrder does. While the provider says that
 * the card is being authenticated or processed, it prolongs the hold instead, up to 15 minutes in all.
 */
export async function releaseIdleOrder(deps: Deps, orderId: string, { byBuyer }: { byBuyer?: boolean } = {}) {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'pending') return;
  const found = await ensureIntentOrCancel(deps, order, { reason: 'payment-failed', byBuyer });
  if (found instanceof Error) return;
  const now = deps.clock.now();
  const isConfirming = found.status === 'requires_action' || found.status === 'processing';
  const heldMs = now.getTime() - order.created_at.getTime();
  // A hold that began while the clock was ahead would last longer by as much.
  if (isConfirming && heldMs >= 0 && heldMs < MAX_HOLD_MS) {
    return prolongHold(deps.db, order, now);
  }
  return release(deps, orderId, found, { reason: 'abandoned' });
}

/**
 * Ends a `capturing` order for which settleOrder throws PAYMENT_MISMATCH, e.g. because staff captured a part of its
 * money in the dashboard. Refunds captured money, cancels an authorisation, and puts the goods back on sale.
 */
export async function releaseMismatched(deps: Deps, orderId: string): Promise<void> {
  const { state, payment_intent_id: intentId } = await getOrder(deps.db, orderId);
  if (state !== 'capturing' || intentId === null) return;
  await release(deps, orderId, await deps.payments.retrieveIntent(intentId), { reason: 'payment-failed' });
}

/**
 * Ends the hold of an order whose buyer has left the checkout for another screen. Nothing is released while the card is
 * being confirmed, or after it was authorised. If this fails, the sweeper releases the goods later.
 */
export async function abandonOrder(deps: Deps, orderId: string): Promise<void> {
  await endHold(deps.db, orderId, deps.clock.now());
  await releaseIdleOrder(deps, orderId, { byBuyer: true });
}

/** Ends the hold of an order 60 s after its page was closed, unless the buyer comes back (resumeHold). */
export const endHoldOfClosedPage = ({ db, clock }: Deps, orderId: string): Promise<void> =>
  endHold(db, orderId, new Date(clock.now().getTime() + CLOSED_FOR_MS));

/** Whether the provider does not know a payment, e.g. one of another account, made before the keys were changed. */
export const isUnknownPayment = (error: unknown): boolean =>
  error instanceof PaymentRefused && error.reason === 'resource_missing';

/**
 * Returns the intent of an order (ensureIntent). Cancels the order and returns the refusal if the provider refuses to
 * create an intent, or if the hold has ended and the provider does not know the stored intent: nothing can be captured
 * for such an order, and its goods would be held for ever. The same holds for an order that is to be released while the
 * provider is away, if no intent is stored: a buyer gets an intent only after it was stored for a pending order
 * (docs/decisions/0018-releasing-without-the-provider.md). Throws the refusal, without effect, when a concurrent call has
 * stored an intent.
 */
export async function ensureIntentOrCancel(
  deps: Deps,
  order: PayableOrder,
  { reason, alsoWrite, ...options }: IntentOptions & Cancellation,
): Promise<PaymentIntent | Error> {
  try {
    return await ensureIntent(deps, order, options);
  } catch (error) {
    const { payment_intent_id: intentId } = order;
    const isAway = isAppError(error, 'PAYMENT_PROVIDER_UNAVAILABLE') && !options.isToBePaid;
    const mayCancel = intentId === null ? isAway || error instanceof PaymentRefused : isUnknownPayment(error);
    if (!mayCancel || !(error instanceof Error)) throw error;
    await cancelOrder(deps, order.id, reason, async (trx, locked) => {
      // Under the lock. What this throws undoes the cancellation.
      const isOver = intentId === null || locked.hold_expires_at <= deps.clock.now();
      if (!isOver || locked.payment_intent_id !== intentId) throw error;
      // A restored backup may lack an intent that was paid.
      if (isAway && (await isHeldBack(trx, order.id))) throw error;
      return alsoWrite?.(trx, locked);
    });
    return error;
  }
}

async function release(
  deps: Deps,
  orderId: string,
  found: PaymentIntent,
  { reason, alsoWrite }: Cancellation,
): Promise<void> {
  if (found.status === 'processing') return;
  if (isAuthorised(found) && (await settledAsOwn(deps, orderId))) return;

  const left = await deps.payments.cancelIntent({ intentId: found.id, orderId });
  deps.crashPoint('cancelled-at-provider');
  if (left.status === 'canceled') return cancelOrder(deps, orderId, reason, alsoWrite);
  if (left.status !== 'succeeded' || (await settledAsOwn(deps, orderId))) return;

  // Somebody captured an amount that does not match this order: nothing is delivered for it, so it is refunded.
  const refund = { reason: 'The payment was not the order’s', capturedCents: left.receivedCents };
  await refundUndelivered(deps, orderId, refund);
}

/** Settles an order. Returns false when the payment does not match the order, so that nothing may be delivered. */
async function settledAsOwn(deps: Deps, orderId: string): Promise<boolean> {
  const isMismatch = (error: unknown) => isAppError(error, 'PAYMENT_MISMATCH');
  return (await settleOrder(deps, orderId).catch(unless(isMismatch))) !== undefined;
}

/**
 * Counts a declined card once for each `declineId`, because both the webhook and the buyer's browser report it. After
 * 20 declines, an IP address or a user is taken to be testing stolen cards. Every open payment would let them try
 * further cards at the provider, without a call to the shop. So openPayment refuses new payments, and this function
 * closes open ones: those of the same browser or user, and those with a declined card from the same IP address (after
 * 200 declines, from the whole wide network). Payments of other buyers without a decline stay open.
 */
export async function countDecline(deps: Deps, order: OrderRow, declineId: string): Promise<void> {
  const { id: orderId, ip, user_id: user } = order;
  if (await insertDecline(deps.db, { id: declineId, order_id: orderId, at: deps.clock.now() })) {
    if (ip !== '') await countUse(deps, 'decline', { address: ip });
    if (user !== null) await countUse(deps, 'customer-decline', { user });
  }
  const ipUsedUp = ip !== '' && (await isUsedUp(deps, 'decline', { address: ip }));
  const userUsedUp = user !== null && (await isUsedUp(deps, 'customer-decline', { user }));
  if (!ipUsedUp && !userUsedUp) return;
  const open = await listOrdersToClose(deps.db, order);
  const neighbours = ipUsedUp ? open.filter((other) => wideNetworkOf(other.ip) === wideNetworkOf(ip)) : [];
  const usedUp = await findUsedUpNetworks(deps, neighbours);
  const toClose = open.filter((other) => other.same_buyer || usedUp.has(networkOf(other.ip)));
  await Promise.all(toClose.map((other) => releaseOrder(deps, other.id, 'payment-failed')));
}

/** Checks each network once, because an attacker can have hundreds of orders in it. */
async function findUsedUpNetworks(deps: Deps, orders: { ip: string }[]): Promise<Set<string>> {
  const addresses = new Map(orders.map(({ ip }) => [networkOf(ip), ip]));
  const usedUp = await Promise.all(
    [...addresses].map(async ([network, address]) => ((await isUsedUp(deps, 'decline', { address })) ? [network] : [])),
  );
  return new Set(usedUp.flat());
}

type DeclineRule = 'decline' | 'customer-decline';

/** Counts a decline, also beyond the limit. */
const countUse = <R extends DeclineRule>({ limits }: Deps, rule: R, keys: KeysOf<R>): Promise<void> =>
  limits.count(rule, keys).catch(unless((error) => isAppError(error, 'RATE_LIMITED')));

async function isUsedUp<R extends DeclineRule>({ limits }: Deps, rule: R, keys: KeysOf<R>): Promise<boolean> {
  try {
    await limits.assertLeft(rule, keys);
    return false;
  } catch (error) {
    if (isAppError(error, 'RATE_LIMITED')) return true;
    throw error;
  }
}
