import { createHash } from 'node:crypto';
import { DatabaseUnavailable } from '../../database/database-errors.ts';
import { type Form, parseForm } from './form.ts';
import { randomHex } from './ids.ts';
import {
  cancelEndpoint,
  captureEndpoint,
  challengeEndpoint,
  confirmEndpoint,
  createEndpoint,
  listEndpoint,
  retrieveEndpoint,
} from './intent-endpoints.ts';
import type { Endpoint, Provider, ProviderAnswer, ProviderCall } from './provider-call.ts';
import { ProviderProblem } from './provider-problem.ts';
import { createRefundEndpoint, listRefundsEndpoint, retrieveRefundEndpoint } from './refund-endpoints.ts';
import { isSameSecret } from './same-secret.ts';

/** A request as it comes off the wire, whichever wire that is. */
export interface ProviderRequest {
  method: string;
  /** From `/v1/` on, with its query. */
  url: string;
  /** Form-encoded; empty for GET. */
  body: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
}

export type HandleRequest = (request: ProviderRequest) => Promise<ProviderAnswer>;

type Access = 'secret' | 'publishable';

const id = '([a-zA-Z0-9_]{1,64})';

const endpoints: readonly [method: string, path: RegExp, access: Access, endpoint: Endpoint][] = [
  ['GET', new RegExp(`^/v1/payment_intents/${id}$`), 'publishable', retrieveEndpoint],
  ['POST', new RegExp(`^/v1/payment_intents/${id}/confirm$`), 'publishable', confirmEndpoint],
  ['POST', new RegExp(`^/v1/payment_intents/${id}/challenge$`), 'publishable', challengeEndpoint],
  ['POST', /^\/v1\/payment_intents$/, 'secret', createEndpoint],
  ['GET', /^\/v1\/payment_intents$/, 'secret', listEndpoint],
  ['POST', new RegExp(`^/v1/payment_intents/${id}/capture$`), 'secret', captureEndpoint],
  ['POST', new RegExp(`^/v1/payment_intents/${id}/cancel$`), 'secret', cancelEndpoint],
  ['POST', /^\/v1\/refunds$/, 'secret', createRefundEndpoint],
  ['GET', /^\/v1\/refunds$/, 'secret', listRefundsEndpoint],
  ['GET', new RegExp(`^/v1/refunds/${id}$`), 'secret', retrieveRefundEndpoint],
];

/** The provider's whole surface: authenticates, finds the endpoint, and answers failures in Stripe's shape. */
export function createRequestHandler(provider: Provider): HandleRequest {
  return async (request) => {
    const requestId = `req_${randomHex()}`;
    const answer = await answerTo(provider, request, requestId).catch((error) =>
      answerFailure(provider, error),
    );
    return { ...answer, headers: { 'request-id': requestId, ...answer.headers } };
  };
}

async function answerTo(
  provider: Provider,
  request: ProviderRequest,
  requestId: string,
): Promise<ProviderAnswer> {
  const [path = '', query = ''] = request.url.split('?');
  const form = parseForm(request.method === 'GET' ? query : request.body);
  const caller = authenticate(provider, request, form);
  for (const [method, pattern, access, endpoint] of endpoints) {
    const match = request.method === method ? pattern.exec(path) : null;
    if (!match) continue;
    if (access === 'secret' && caller !== 'secret') throw secretKeyRequired();
    const idempotency = caller === 'secret' ? idempotencyOf(request) : undefined;
    return endpoint(provider, { requestId, caller, id: match[1] ?? '', form, idempotency });
  }
  throw new ProviderProblem(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${request.method}: ${path}).`,
  });
}

function authenticate(provider: Provider, request: ProviderRequest, form: Form): ProviderCall['caller'] {
  const key = /^Bearer (\S+)$/.exec(request.authorization ?? '')?.[1] ?? form.get('key') ?? '';
  if (isSameSecret(key, provider.account.publishableKey)) return 'publishable';
  if (isSameSecret(key, provider.account.secretKey) && request.authorization !== undefined) return 'secret';
  throw new ProviderProblem(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
}

// Only the shop's server has idempotency keys: a browser could otherwise take `capture/{order}` before the shop does.
function idempotencyOf(request: ProviderRequest): ProviderCall['idempotency'] {
  if (request.method !== 'POST' || !request.idempotencyKey) return undefined;
  const requestHash = createHash('sha256').update(`${request.url}\n${request.body}`).digest();
  return { key: request.idempotencyKey, requestHash };
}

const secretKeyRequired = () =>
  new ProviderProblem(403, {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This call needs the secret key.',
  });

function answerFailure(provider: Provider, error: unknown): ProviderAnswer {
  if (error instanceof ProviderProblem) {
    return { status: error.status, body: JSON.stringify({ error: error.details }) };
  }
  if (error instanceof DatabaseUnavailable) {
    provider.log.warn({ reason: error.message }, 'the test mode provider has no database');
    const details = { type: 'api_error', message: 'The test mode provider is busy. Please try again.' };
    return { status: 503, body: JSON.stringify({ error: details }), headers: { 'retry-after': '2' } };
  }
  provider.log.error({ err: error }, 'the test mode provider failed');
  const details = { type: 'api_error', message: 'The test mode provider failed. Please try again.' };
  return { status: 500, body: JSON.stringify({ error: details }) };
}
