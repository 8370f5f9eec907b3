import { Agent, request } from 'node:http';
import type { PostEvent } from './deliver-events.ts';

const TIMEOUT_MS = 10_000;

/** Delivers to the shop's own address over HTTP, as Stripe would. */
export function postEventsTo(url: string): PostEvent {
  const agent = new Agent({ keepAlive: true });
  return ({ payload, signature }) =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(payload),
        'stripe-signature': signature,
      };
      const outgoing = request(url, { method: 'POST', agent, headers, timeout: TIMEOUT_MS }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      });
      outgoing.once('timeout', () =>
        outgoing.destroy(new Error('The webhook endpoint did not answer in time')),
      );
      outgoing.once('error', reject);
      outgoing.end(payload);
    });
}
