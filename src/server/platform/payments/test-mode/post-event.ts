import type { FastifyInstance } from 'fastify';
import type { PostEvent } from './deliver-events.ts';

/** Delivers to the shop in the same process: the request that Stripe would make, without a socket. */
export function postEventsTo(shop: Pick<FastifyInstance, 'inject'>): PostEvent {
  return async ({ payload, signature }) => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const answer = await shop.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload });
    return answer.statusCode;
  };
}
