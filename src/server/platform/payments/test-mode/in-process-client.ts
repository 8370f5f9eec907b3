import type { Stripe } from 'stripe';
import type { HandleRequest } from './handle-request.ts';

/**
 * Carries the Stripe SDK's requests to a provider in the same process: the same strings that would go over a socket,
 * without the socket (docs/test-mode.md).
 */
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
        getHeaders: () => answer.headers ?? {},
        getRawResponse: () => ({ headers: answer.headers }),
        toStream: () => {
          throw new Error('The test mode provider streams nothing');
        },
        toJSON: async () => JSON.parse(answer.body),
      };
    },
  };
}

const textOf = (header: string | number | string[] | undefined) =>
  header === undefined ? undefined : String(header);
