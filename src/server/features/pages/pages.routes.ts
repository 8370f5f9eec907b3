import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import type { Shop } from '../../../shared/shop.ts';
import type { Deps } from '../../deps.ts';
import type { FindBuiltPage } from '../../platform/http/browser-files.ts';
import { sendSerialized } from '../../platform/http/serialized-body.ts';
import { listActiveProductIds } from '../catalog/catalog.queries.ts';
import type { CatalogAnswers } from '../catalog/catalog-answers.ts';
import type { InfoPages } from '../info/info-pages.ts';
import { createShopPages } from './shop-pages.ts';
import { MAX_SITEMAP_URLS, robotsTxt, sitemapXml } from './sitemap.ts';

// A call, the numbers of operators, which are not for this port, a file by its ending, and what begins with a dot.
const NO_PAGE = /^\/(api|metrics)(\/|$)|\.[^/]*$|\/\.|%2e/i;

export interface PagesParts {
  shop: Shop;
  catalog: CatalogAnswers;
  infoPages: InfoPages;
  /** Undefined where the browser side is not built: then there are no pages. */
  findBuiltPage: FindBuiltPage | undefined;
}

/**
 * The pages as the server sends them. Every address that is not a file and not a call answers one, whose own router
 * decides what to show; asking for a file that is not there, by its ending, is a 404.
 */
export function pagesRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'config'>,
  parts: PagesParts,
): void {
  const { publicUrl } = deps.config;
  const pages =
    parts.findBuiltPage &&
    createShopPages({ ...parts, findBuiltPage: parts.findBuiltPage, config: deps.config });

  app.get('/robots.txt', (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(robotsTxt(publicUrl)),
  );

  app.get('/sitemap.xml', async (_request, reply) => {
    const [ids, slugs] = await Promise.all([
      listActiveProductIds(deps.db, MAX_SITEMAP_URLS),
      parts.infoPages.listSlugs(),
    ]);
    const paths = [
      '/',
      ...slugs.map((slug) => `/info/${slug}`),
      ...ids.map((id) => `/digital-product/${id}`),
    ];
    return reply
      .type('application/xml; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(sitemapXml(paths.map((path) => `${publicUrl}${path}`)));
  });

  if (pages !== undefined) {
    app.get('/', async (request, reply) => sendSerialized(await pages.home(request.query), request, reply));

    app.get<{ Params: { id: string } }>('/digital-product/:id', async (request, reply) => {
      const page = await pages.findProduct(request.params.id);
      if (page) return sendSerialized(page, request, reply);
      return sendSerialized(await pages.missingProduct(), request, reply.status(404));
    });

    app.get<{ Params: { slug: string } }>('/info/:slug', async (request, reply) => {
      const page = await pages.findInfo(request.params.slug);
      return sendSerialized(page ?? (await pages.other(request.url)), request, reply);
    });
  }

  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const isPage = request.method === 'GET' && !NO_PAGE.test(path);
    if (pages === undefined || !isPage) throw new AppError('NOT_FOUND', 'There is nothing at this address');
    return sendSerialized(await pages.other(path), request, reply);
  });
}
