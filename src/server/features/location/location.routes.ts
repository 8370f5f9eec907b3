import type { Route } from '../../platform/http/route.ts';
import { locateVisitor } from './locate-visitor.ts';

export function locationRoutes(route: Route): void {
  route('GET /location', ({ request }) => {
    // With TRUST_PROXY, Fastify lists the forwarded addresses only behind a proxy that it was told to believe.
    const viaTrustedProxy = (request.ips?.length ?? 0) > 1;
    return locateVisitor({ ip: request.ip, proxyHeaders: viaTrustedProxy ? request.headers : {} });
  });
}
