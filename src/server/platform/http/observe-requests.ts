import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';

/** Counts every answered request by its route's template. */
export function observeRequests(app: FastifyInstance, { metrics }: { metrics: Metrics }): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const seconds = reply.elapsedTime / 1_000;
    metrics.request({ method, route: routeOptions.url, status: reply.statusCode, seconds });
    done();
  });
}
