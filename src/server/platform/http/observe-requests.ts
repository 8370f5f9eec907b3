import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';
import { probePaths } from './health.ts';

interface Observer {
  metrics: Metrics;
  log: FastifyBaseLogger;
  config: {
    /** The share of requests that are logged, from 0 to 1. */
    logRequests: number;
    /** Requests that take at least this long are always logged; 0 turns that off. */
    slowRequestMs: number;
  };
}

/** Returns what the log says of a request: the route's template instead of the path, which may hold a secret. */
export function loggableRequest(
  { method, routeOptions, viewer }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
) {
  const userId = viewer?.userId;
  return {
    method,
    route: routeOptions.url ?? 'none',
    status: statusCode,
    ms: Math.round(elapsedTime),
    ...(userId && { userId }),
  };
}

/** Counts every answered request; logs slow ones and a share of the others. Failed ones are logged by sendError(). */
export function observeRequests(app: FastifyInstance, { metrics, log, config }: Observer): void {
  const { logRequests, slowRequestMs } = config;
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id: reqId, turnedAwayBy: code } = request;
    const route = request.routeOptions.url;
    metrics.request({ method, route, status: reply.statusCode, code, seconds: reply.elapsedTime / 1_000 });
    done();
    if (reply.statusCode >= 500 || (route !== undefined && probePaths.has(route))) return;
    const isSlow = slowRequestMs > 0 && reply.elapsedTime >= slowRequestMs;
    if (!isSlow && !(logRequests > 0 && Math.random() < logRequests)) return;
    log.info({ reqId, ...loggableRequest(request, reply) }, isSlow ? 'slow request' : 'request');
  });
}
