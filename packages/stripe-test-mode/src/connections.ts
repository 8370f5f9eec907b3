import type { IncomingMessage, RequestListener } from 'node:http';
import type { Stripe } from 'stripe';
import type { HandleRequest } from './handle-request.ts';

const LARGEST_BODY_BYTES = 16 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** The API over HTTP, for `http.createServer`. */
export function createListener(handle: HandleRequest): RequestListener {
  return async (request, response) => {
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) {
      // The caller has gone.
      response.destroy();
      return;
    }
    if (typeof body === 'number') {
      response.writeHead(body, { connection: 'close' }).end();
      return;
    }
    const { authorization } = request.headers;
    const idempotencyKey = request.headers['idempotency-key']?.toString();
    const { method = '', url = '' } = request;
    const answer = await handle({ method, url, body, authorization, idempotencyKey });
    const headers = { ...answer.headers, 'content-type': 'application/json', 'cache-control': 'no-store' };
    response.writeHead(answer.status, headers).end(answer.body);
  };
}

/** Returns the body, or the HTTP status to refuse the request with. */
async function readBody(request: IncomingMessage): Promise<string | 413 | 415> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) return 413;
    chunks.push(chunk);
  }
  if (bytes > 0 && !request.headers['content-type']?.startsWith(FORM)) return 415;
  return Buffer.concat(chunks).toString();
}

/** Carries an SDK's requests to the provider in the same process: the same strings, without a socket. */
export function createInProcessClient(handle: HandleRequest): Stripe.HttpClient {
  return {
    getClientName: () => 'in-process',
    makeRequest: async (_host, _port, path, method, headers, body) => {
      const answer = await handle({
        method,
        url: path,
        body: method === 'GET' ? '' : body,
        authorization: textOf(headers['Authorization']),
        idempotencyKey: textOf(headers['Idempotency-Key']),
      });
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => answer.headers,
        getRawResponse: () => ({ headers: answer.headers }),
        toStream: () => {
          throw new Error('The test mode provider streams nothing');
        },
        toJSON: async () => JSON.parse(answer.body),
      };
    },
  };
}

const textOf = (header: string | number | string[] | undefined) => (header === undefined ? undefined : String(header));
