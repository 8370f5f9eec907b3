import type { Shop } from '../../../shared/content.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Route } from '../../platform/http/route.ts';
import type { InfoPages } from './info-pages.ts';
import { locateVisitor } from './locate-visitor.ts';

/** The shop itself, the visitor's country, and the information pages. */
export function contentRoutes(route: Route, { shop, infoPages }: { shop: Shop; infoPages: InfoPages }): void {
  route('GET /shop', async () => ({ data: shop }));

  route('GET /location', ({ request }) => {
    // With TRUST_PROXY, Fastify lists the forwarded addresses only behind a proxy that it was told to believe.
    const viaTrustedProxy = (request.ips?.length ?? 0) > 1;
    return locateVisitor({ ip: request.ip, proxyHeaders: viaTrustedProxy ? request.headers : {} });
  });

  route('GET /info-pages/:slug', async ({ params }) => {
    const page = await infoPages.find(params.slug);
    if (!page) throw new AppError('NOT_FOUND', 'There is no such page');
    return { data: page };
  });
}
