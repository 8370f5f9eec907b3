/** Stripe's error object. */
export interface ProblemDetails {
  type: 'card_error' | 'invalid_request_error' | 'idempotency_error' | 'api_error';
  code?: string;
  decline_code?: string;
  message: string;
  param?: string;
}

/** A request that the provider refuses: the HTTP status and Stripe's error object. */
export class ProviderProblem extends Error {
  readonly status: number;
  readonly details: ProblemDetails;

  constructor(status: number, details: ProblemDetails) {
    super(details.message);
    this.name = 'ProviderProblem';
    this.status = status;
    this.details = details;
  }
}

export const invalidRequest = (message: string, details: { code?: string; param?: string } = {}) =>
  new ProviderProblem(400, { type: 'invalid_request_error', ...details, message });

/** Also the answer to a wrong client secret, so that it tells nothing about which intents exist. */
export const noSuchObject = (kind: 'payment_intent' | 'refund', id: string) =>
  new ProviderProblem(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: kind === 'payment_intent' ? 'intent' : 'id',
    message: `No such ${kind}: '${id}'`,
  });

export const unexpectedState = (status: string, done: string) =>
  invalidRequest(`A PaymentIntent with status ${status} cannot be ${done}.`, {
    code: 'payment_intent_unexpected_state',
  });
