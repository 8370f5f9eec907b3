import { Stripe } from 'stripe';
import { AppError } from '../../../shared/errors.ts';
import { PaymentRefused } from './payments.ts';

// Refusals in form that are none in substance: the shop's balance at the provider is low, today.
const passingCodes = new Set([
  'balance_insufficient',
  'lock_timeout',
  'rate_limit',
  'idempotency_key_in_use',
]);

/** The provider has given its word for good, as opposed to being away, busy, broken or wrongly configured. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  const refusal =
    error instanceof Stripe.errors.StripeCardError ||
    error instanceof Stripe.errors.StripeInvalidRequestError;
  return refusal && !passingCodes.has(error.code ?? '');
}

/** The same key was used for another request before. */
export function isKeyMismatch(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

/** The id of the request whose failure the provider has only repeated, as it does for a day for the same key. */
export function repeatedFailure(error: unknown): string | undefined {
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
  if (isRefusal(error))
    return new PaymentRefused(error.decline_code || error.code || error.type, error.message);
  if (isKeyMismatch(error))
    return new Error('An idempotency key was used for two requests', { cause: facts(error) });
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
