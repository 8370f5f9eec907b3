import { Stripe } from 'stripe';
import { AppError } from '../../../shared/errors.ts';
import { PaymentRefused } from './payments.ts';

// Each step past the first is a call that failed before and whose failure the provider has kept.
const MAX_KEYS = 5;

/**
 * Calls the provider with an idempotency key so that repeating is safe and yet gets somewhere. For a day the provider
 * repeats its first answer to a key, a failure as well as a success; so after a repeated failure, and after a refusal,
 * `standing` looks at what is true now, and only if the aim is not reached the call is made under a further key. That
 * key follows from the failed request, so that callers who repeat at once still agree on it.
 */
export async function callRepeatably<T>(options: {
  key: string;
  call: (idempotencyKey: string) => Promise<T>;
  /** What the call was to bring about, if it is so by now. */
  standing: () => Promise<T | undefined>;
  /** The further key when this one was used for another request; without it that is an error of ours. */
  keyOnMismatch?: string;
}): Promise<T> {
  let key = options.key;
  let failure: unknown;
  for (let used = 0; used < MAX_KEYS; used += 1) {
    try {
      return await options.call(key);
    } catch (error) {
      failure = error;
    }
    const furtherKey = keyAfter(failure, options);
    if (furtherKey === undefined && !isRefusal(failure)) throw toShopError(failure);
    const standing = await options.standing();
    if (standing !== undefined) return standing;
    if (furtherKey === undefined) throw toShopError(failure);
    key = furtherKey;
  }
  throw toShopError(failure);
}

function keyAfter(failure: unknown, options: { key: string; keyOnMismatch?: string }): string | undefined {
  if (isKeyMismatch(failure)) return options.keyOnMismatch;
  const failedRequest = repeatedFailure(failure);
  return failedRequest && `${options.key}/${failedRequest}`;
}

// Refusals in form that are none in substance: the shop's balance at the provider is low, today.
const passingCodes = new Set(['balance_insufficient', 'lock_timeout', 'rate_limit', 'idempotency_key_in_use']);

/** The provider has given its word for good, as opposed to being away, busy, broken or wrongly configured. */
function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  const refusal =
    error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;
  return refusal && !passingCodes.has(error.code ?? '');
}

/** The same key was used for another request before. */
function isKeyMismatch(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

/** The id of the request whose failure the provider has only repeated, as it does for a day for the same key. */
function repeatedFailure(error: unknown): string | undefined {
  if (!(error instanceof Stripe.errors.StripeError)) return undefined;
  return wasReplayed(error.headers) ? (error.headers?.['original-request'] ?? 'again') : undefined;
}

export const wasReplayed = (headers: { [name: string]: unknown } | undefined) =>
  headers?.['idempotent-replayed'] === 'true';

/**
 * What the shop hears of a failed call: PaymentRefused, or AppError PAYMENT_PROVIDER_UNAVAILABLE; anything that is
 * not the provider's stays as it is.
 */
export function toShopError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  if (isRefusal(error)) return new PaymentRefused(error.decline_code || error.code || error.type, error.message);
  if (isKeyMismatch(error)) return new Error('An idempotency key was used for two requests', { cause: facts(error) });
  const unavailable = new AppError(
    'PAYMENT_PROVIDER_UNAVAILABLE',
    'Payments are not available at the moment. Please try again in a minute.',
  );
  unavailable.cause = facts(error);
  return unavailable;
}

// The SDK's own error carries the whole answer, with client secrets in it, into any log that prints its properties.
function facts(error: Stripe.errors.StripeError): Error {
  const parts = [error.type, error.statusCode, error.code, networkCode(error.detail), error.requestId];
  return new Error(`Stripe: ${parts.filter((part) => part !== undefined).join(' ')}`);
}

const networkCode = (detail: unknown) =>
  typeof detail === 'object' && detail !== null && 'code' in detail ? String(detail.code) : undefined;

/** A status of the provider's as one that the shop knows; throws for any other. */
export function knownStatus<T extends string>(known: readonly T[], status: string): T {
  const found = known.find((candidate) => candidate === status);
  if (found === undefined) throw new Error(`The payment provider answered an unknown status: ${status}`);
  return found;
}
