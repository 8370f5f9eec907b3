import { createHash } from 'node:crypto';
import {
  type Call,
  type Endpoint,
  type Form,
  isSameSecret,
  type Provider,
  type ProviderResponse,
  parseForm,
} from './call.ts';
import {
  answerDisputeEndpoint,
  closeDisputeEndpoint,
  listDisputesEndpoint,
  listWarningsEndpoint,
  retrieveDisputeEndpoint,
} from './claims.ts';
import {
  cancelEndpoint,
  captureEndpoint,
  challengeEndpoint,
  confirmEndpoint,
  createEndpoint,
  createRefundEndpoint,
  listEndpoint,
  listRefundsEndpoint,
  retrieveEndpoint,
  retrieveRefundEndpoint,
} from './endpoints.ts';
import { RequestRefused, randomHex } from './stripe-objects.ts';

/** A request of any transport. */
export interface ProviderRequest {
  method: string;
  /** Path and query. */
  url: string;
  /** Form-encoded; empty for GET. */
  body: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
}

export type HandleRequest = (request: ProviderRequest) => Promise<ProviderResponse>;

/** Where the provider reports its own failures; a pino logger fits. */
export interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

const id = '([a-zA-Z0-9_]{1,64})';

const endpoints: readonly [method: string, path: RegExp, access: Call['caller'], endpoint: Endpoint][] = [
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
  ['GET', /^\/v1\/disputes$/, 'secret', listDisputesEndpoint],
  ['GET', new RegExp(`^/v1/disputes/${id}$`), 'secret', retrieveDisputeEndpoint],
  ['POST', new RegExp(`^/v1/disputes/${id}$`), 'secret', answerDisputeEndpoint],
  ['POST', new RegExp(`^/v1/disputes/${id}/close$`), 'secret', closeDisputeEndpoint],
  ['GET', /^\/v1\/radar\/early_fraud_warnings$/, 'secret', listWarningsEndpoint],
];

/**
 * The whole API: authenticates, finds the endpoint, and answers failures in Stripe's shape. Paths start with `basePath`
 * or, since the SDK knows no base path, with `/v1`.
 */
export function createRequestHandler(provider: Provider, log: Log, basePath: string): HandleRequest {
  return async (request) => {
    const requestId = `req_${randomHex()}`;
    const url = request.url.startsWith(`${basePath}/v1/`) ? request.url.slice(basePath.length) : request.url;
    const response = await dispatch(provider, { ...request, url }, requestId).catch((error) =>
      failure(provider, log, error),
    );
    return { ...response, headers: { 'request-id': requestId, ...response.headers } };
  };
}

async function dispatch(provider: Provider, request: ProviderRequest, requestId: string): Promise<ProviderResponse> {
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
  throw new RequestRefused(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${request.method}: ${path}).`,
  });
}

function authenticate({ keys }: Provider, { authorization }: ProviderRequest, form: Form): Call['caller'] {
  const key = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? form.get('key') ?? '';
  if (isSameSecret(key, keys.publishableKey)) return 'publishable';
  if (isSameSecret(key, keys.secretKey) && authorization !== undefined) return 'secret';
  throw new RequestRefused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
}

// Only servers have idempotency keys: a browser could otherwise use a key before its server does.
function idempotencyOf(request: ProviderRequest): Call['idempotency'] {
  if (request.method !== 'POST' || !request.idempotencyKey) return undefined;
  const requestHash = createHash('sha256').update(`${request.url}\n${request.body}`).digest();
  return { key: request.idempotencyKey, requestHash };
}

const secretKeyRequired = () =>
  new RequestRefused(403, {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This call needs the secret key.',
  });

function failure({ store }: Provider, log: Log, error: unknown): ProviderResponse {
  if (error instanceof RequestRefused) {
    return { status: error.status, body: JSON.stringify({ error: error.details }), headers: {} };
  }
  if (store.isUnavailable?.(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason }, 'the test mode provider has no store');
    const details = { type: 'api_error', message: 'The test mode provider is busy. Please try again.' };
    return { status: 503, body: JSON.stringify({ error: details }), headers: { 'retry-after': '2' } };
  }
  log.error({ err: error }, 'the test mode provider failed');
  const details = { type: 'api_error', message: 'The test mode provider failed. Please try again.' };
  return { status: 500, body: JSON.stringify({ error: details }), headers: {} };
}
