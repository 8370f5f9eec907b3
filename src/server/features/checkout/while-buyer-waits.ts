import { AppError, isAppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';

/**
 * The maximum duration of a buyer's call that waits for the provider. Background work has the gateway's longer limits.
 */
export const BUYER_WAIT_MS = 12_000;

/** The message of a call before the card is confirmed. */
export const NOT_CHARGED =
  'The payment service does not answer. Your card was not charged. Please try again in a minute.';
/** The message of a call that only asks for the state of the payment. */
export const NOT_KNOWN =
  'The payment service does not answer. A payment that was accepted is safe: its order is finished within a few minutes.';
/**
 * The message of a call after the card was confirmed. The call continues in the background; if it fails, the webhook or
 * the sweeper finishes the order.
 */
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
