import type { FastifyRequest } from 'fastify';

/** From where somebody acts, for sessions and ledgers. */
export interface Client {
  ip: string;
  userAgent: string;
}

const MAX_USER_AGENT = 300;

export function clientOf(request: FastifyRequest): Client {
  return { ip: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT) };
}
