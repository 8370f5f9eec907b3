import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { wideNetworkOf } from '../../platform/http/client.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { raiseAlert } from '../admin/alerts.queries.ts';
import { assertOpen } from '../closing/closing.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { listHeldItems, type PayableOrder, storeIntent } from './checkout.queries.ts';

export interface IntentOptions {
  isToBePaid?: boolean | undefined;
  byBuyer?: boolean | undefined;
}

/**
 * Returns the provider's intent of an order. The first call creates the intent, and every later call returns it. This
 * holds even if a process ends between creating the intent and storing its id, because the idempotency key is derived
 * from the order. `isToBePaid`: the buyer gets the intent. Then SHOP_CLOSED is thrown if the shop was closed before a
 * new intent was stored; no buyer has seen that intent, and it is cancelled when the hold ends. PAYMENT_NOT_CONFIRMED is
 * thrown if the order was cancelled meanwhile (ensureIntentOrCancel). `byBuyer`: a buyer can repeat the call, so the
 * intent is read at a limited rate.
 */
export async function ensureIntent(
  deps: Deps,
  order: PayableOrder,
  { isToBePaid, byBuyer = isToBePaid }: IntentOptions = {},
): Promise<PaymentIntent> {
  const { payment_intent_id: intentId } = order;
  if (intentId !== null)
    return byBuyer ? retrievePaced(deps, { ...order, intentId }, 'order') : deps.payments.retrieveIntent(intentId);
  const intent = await deps.payments.createIntent({
    orderId: order.id,
    attempt: order.payment_attempt,
    amountCents: order.total_cents,
    receiptEmail: order.contact_email,
    itemIds: order.itemIds ?? (await listHeldItems(deps.db, order.id)),
  });
  deps.crashPoint('intent-created');
  const stored = await storeIntent(deps.db, order.id, intent.id);
  deps.crashPoint('intent-stored');
  if (!isToBePaid) return intent;
  assertOpen(stored?.closed);
  if (!stored && (await getOrder(deps.db, order.id)).state === 'cancelled')
    throw new AppError('PAYMENT_NOT_CONFIRMED', 'Payment failed. Please try again.');
  return intent;
}

const PAUSE_MS = 500;
const NETWORK_PAUSE_MS = 100;

type Reader = 'page' | 'order' | 'finish';

// The last read of each intent by each reader. The read may be scheduled and not started.
const lastReads = new LRUCache<string, { startsAtMs: number; intent: Promise<PaymentIntent> }>({ max: 1_000 });

// The earliest time of the next read for each network and reader.
const nextTurns = new LRUCache<string, number>({ max: 10_000 });

/**
 * Reads an intent for a buyer's call at a limited rate: anybody can repeat such calls without limit, and the provider
 * limits the shop's calls. Each reader reads an intent at most twice a second; simultaneous calls share the next read.
 * Repeated reads of all orders from one network are limited to ten a second, because a stranger can open many orders.
 * The first read of an intent by each reader never waits, so an ordinary purchase is not delayed by its own page or by
 * other buyers behind the same address.
 */
export function retrievePaced(
  { payments, config }: Pick<Deps, 'payments' | 'config'>,
  { intentId, ip }: { intentId: string; ip: string },
  reader: Reader,
): Promise<PaymentIntent> {
  const nowMs = performance.now();
  const key = `${reader} ${intentId}`;
  const last = lastReads.get(key);
  if (last && last.startsAtMs > nowMs) return last.intent;
  const turnMs = last && config.rateLimits ? takeTurn(`${reader} ${wideNetworkOf(ip)}`, nowMs) : nowMs;
  const startsAtMs = Math.max(turnMs, (last?.startsAtMs ?? 0) + PAUSE_MS);
  const read = () => payments.retrieveIntent(intentId);
  const intent = startsAtMs > nowMs ? wait(startsAtMs - nowMs).then(read) : read();
  lastReads.set(key, { startsAtMs, intent });
  return intent;
}

function takeTurn(key: string, nowMs: number): number {
  const turnMs = Math.max(nowMs, nextTurns.get(key) ?? 0);
  nextTurns.set(key, turnMs + NETWORK_PAUSE_MS);
  return turnMs;
}

/** The maximum duration of a buyer's call that waits for the provider. Background work has the gateway's limits. */
export const BUYER_WAIT_MS = 12_000;

/** The message of a call before the card is confirmed. */
export const NOT_CHARGED =
  'The payment service does not answer. Your card was not charged. Please try again in a minute.';
/** The message of a call that only asks for the state of the payment. */
export const NOT_KNOWN =
  'The payment service does not answer. A payment that was accepted is safe: its order is finished within a few minutes.';
/** The message after the card was confirmed. The call continues; if it fails, the webhook or sweeper ends the order. */
export const WILL_BE_FINISHED =
  'Your payment is safe. We are finishing your order and will email you within a few minutes.';

/**
 * Returns the result of `work`, or throws PAYMENT_PROVIDER_UNAVAILABLE with `message` when the provider is unavailable
 * or `buyerWaitMs` have passed. The work continues after that, because it may still succeed, but it must begin nothing
 * new once `signal` is aborted.
 */
export async function whileBuyerWaits<T>(
  { buyerWaitMs, log }: Pick<Deps, 'buyerWaitMs' | 'log'>,
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const unavailable = (cause: unknown) => {
    const error = new AppError('PAYMENT_PROVIDER_UNAVAILABLE', message);
    error.cause = cause;
    return error;
  };
  const waiting = new AbortController();
  const running = work(waiting.signal);
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // Logged as the reason: the database may be what is slow.
    const late = unavailable(new Error(`the call took longer than ${buyerWaitMs} ms`));
    waiting.abort(late);
    reject(late);
    running.catch((error: unknown) => {
      if (error !== late) log.warn({ err: error }, 'a call failed after the buyer had stopped waiting');
    });
  }, buyerWaitMs);
  try {
    return await Promise.race([running, isOver]);
  } catch (error) {
    const isAway = isAppError(error, 'PAYMENT_PROVIDER_UNAVAILABLE');
    throw isAway && !waiting.signal.aborted ? unavailable(error.cause) : error;
  } finally {
    clearTimeout(timer);
  }
}

const CURRENCY = 'usd';

/** Throws PAYMENT_MISMATCH and raises an alert when the intent's id, amount, currency, order or mode is not the order's. */
export async function assertIntentOfOrder(deps: Deps, order: OrderRow, intent: PaymentIntent): Promise<void> {
  const expectedLiveMode = deps.config.stripe?.liveMode ?? false;
  const matches =
    intent.id === order.payment_intent_id &&
    intent.amountCents === order.total_cents &&
    (intent.status !== 'succeeded' || intent.receivedCents === order.total_cents) &&
    intent.currency === CURRENCY &&
    intent.orderId === order.id &&
    intent.liveMode === expectedLiveMode;
  if (matches) return;
  const message = 'the payment is not the order’s';
  await raiseAlert(deps, { kind: 'payment-mismatch', subject: intent.id, orderId: order.id, message });
  throw new AppError('PAYMENT_MISMATCH', 'This payment does not belong to this order');
}
