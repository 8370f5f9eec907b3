import { AppError, isAppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';

/** The longest that a buyer's call takes, whatever the provider does. Background work has the gateway's own, longer limits. */
export const BUYER_WAIT_MS = 12_000;

/** The message of a call before the card is confirmed. */
export const NOT_CHARGED =
  'The payment service does not answer. Your card was not charged. Please try again in a minute.';
/** The message of a call that only asks for the state of the payment. */
export const NOT_KNOWN =
  'The payment service does not answer. A payment that was accepted is safe: its order is finished within a few minutes.';
/**
 * The message of a call after the card is confirmed: this process, which goes on, the webhook or the sweeper finishes
 * the order.
 */
export const WILL_BE_FINISHED =
  'Your payment is safe. We are finishing your order and will e-mail you within a few minutes.';

/**
 * Returns what `work` returns, or throws PAYMENT_PROVIDER_UNAVAILABLE with `message` when the provider is away or takes
 * longer than a buyer waits. The work itself goes on, since it may still succeed; it must begin nothing new once
 * `signal` is aborted.
 */
export async function whileBuyerWaits<T>(
  { buyerWaitMs, log }: Pick<Deps, 'buyerWaitMs' | 'log'>,
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const unavailable = (cause?: unknown) => {
    const error = new AppError('PAYMENT_PROVIDER_UNAVAILABLE', message);
    error.cause = cause;
    return error;
  };
  const waiting = new AbortController();
  const running = work(waiting.signal);
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const late = unavailable();
    waiting.abort(late);
    reject(late);
    running.catch((error: unknown) => {
      if (error !== late) log.warn({ err: error }, 'a call failed after its buyer had stopped waiting');
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
