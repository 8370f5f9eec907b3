import { createHash } from 'node:crypto';
import {
  type Call,
  type Endpoint,
  type Form,
  isSameSecret,
  type Provider,
  type ProviderResponse,
  parseForm,
  refusal,
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

const endpoints: readonly [method: string, path: string, access: Call['caller'], endpoint: Endpoint][] = [
  ['GET', '/payment_intents/:id', 'publishable', retrieveEndpoint],
  ['POST', '/payment_intents/:id/confirm', 'publishable', confirmEndpoint],
  ['POST', '/payment_intents/:id/challenge', 'publishable', challengeEndpoint],
  ['POST', '/payment_intents', 'secret', createEndpoint],
  ['GET', '/payment_intents', 'secret', listEndpoint],
  ['POST', '/payment_intents/:id/capture', 'secret', captureEndpoint],
  ['POST', '/payment_intents/:id/cancel', 'secret', cancelEndpoint],
  ['POST', '/refunds', 'secret', createRefundEndpoint],
  ['GET', '/refunds', 'secret', listRefundsEndpoint],
  ['GET', '/refunds/:id', 'secret', retrieveRefundEndpoint],
  ['GET', '/disputes', 'secret', listDisputesEndpoint],
  ['GET', '/disputes/:id', 'secret', retrieveDisputeEndpoint],
  ['POST', '/disputes/:id', 'secret', answerDisputeEndpoint],
  ['POST', '/disputes/:id/close', 'secret', closeDisputeEndpoint],
  ['GET', '/radar/early_fraud_warnings', 'secret', listWarningsEndpoint],
];

const routes = endpoints.map(([method, path, access, endpoint]) => {
  const pattern = new RegExp(`^/v1${path.replace(':id', '([a-zA-Z0-9_]{1,64})')}$`);
  return { method, pattern, access, endpoint };
});

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
  for (const { method, pattern, access, endpoint } of routes) {
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
  if (error instanceof RequestRefused) return refusal(error);
  if (store.isUnavailable?.(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason }, 'the test mode provider has no store');
    const busy = apiError(503, 'The test mode provider is busy. Please try again.');
    return { ...refusal(busy), headers: { 'retry-after': '2' } };
  }
  log.error({ err: error }, 'the test mode provider failed');
  return refusal(apiError(500, 'The test mode provider failed. Please try again.'));
}

const apiError = (status: number, message: string) => new RequestRefused(status, { type: 'api_error', message });
