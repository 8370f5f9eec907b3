import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Shop } from '../../../shared/content.ts';
import { AppError } from '../../../shared/errors.ts';
import { type PagePath, pagePaths } from '../../../shared/pages.ts';
import type { Deps } from '../../deps.ts';
import type { FindBuiltPage } from '../../platform/http/browser-files.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { sendSerialized } from '../../platform/http/serialized-body.ts';
import { listActiveProductIds } from '../catalog/catalog.queries.ts';
import type { CatalogAnswers } from '../catalog/catalog-answers.ts';
import type { InfoPages } from './info-pages.ts';
import { createShopPages, isSearch } from './shop-pages.ts';

// A call, the probes and the numbers of operators, which are not for this port, a file by its ending, and what begins with a dot.
const NO_PAGE = /^\/(api|healthz|readyz|metrics)(\/|$)|\.[^/]*$|\/\.|%2e/i;

export interface PagesParts {
  shop: Shop;
  catalog: CatalogAnswers;
  infoPages: InfoPages;
  /** Undefined where the browser side is not built: then there are no pages. */
  findBuiltPage: FindBuiltPage | undefined;
}

/**
 * The pages as the server sends them. An unknown path answers a page, too, with 404, whose own router leads home; asking for
 * a file that is not there, by its ending, or for an unknown call answers an error as JSON.
 */
export function pagesRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'config' | 'limits'>,
  parts: PagesParts,
): void {
  const { publicUrl } = deps.config;
  // What costs as much as the catalogue's calls counts as one of them.
  const countAsCatalogue = (request: FastifyRequest) => deps.limits.countRequest('catalogue', { address: request.ip });
  const pages =
    parts.findBuiltPage && createShopPages({ ...parts, findBuiltPage: parts.findBuiltPage, config: deps.config });

  app.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(robotsTxt(publicUrl)));

  app.get('/sitemap.xml', { onRequest: countAsCatalogue }, async (_request, reply) => {
    const [ids, slugs] = await Promise.all([
      listActiveProductIds(deps.db, MAX_SITEMAP_URLS),
      parts.infoPages.listSlugs(),
    ]);
    const paths = ['/', ...slugs.map((slug) => `/info/${slug}`), ...ids.map((id) => `/digital-product/${id}`)];
    return reply
      .type('application/xml; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(sitemapXml(paths.map((path) => `${publicUrl}${path}`)));
  });

  if (pages !== undefined) {
    type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
    const special: Partial<Record<PagePath, Handler>> = {
      '/': async (request, reply) => {
        if (isSearch(request.query)) await countAsCatalogue(request);
        return sendSerialized(await pages.home(request.query), request, reply);
      },
      '/digital-product/:id': async (request, reply) => {
        await countAsCatalogue(request);
        const page = await pages.findProduct((request.params as { id: string }).id);
        if (page) return sendSerialized(page, request, reply);
        return sendSerialized(await pages.missingProduct(), request, reply.status(404));
      },
      '/info/:slug': async (request, reply) => {
        const page = await pages.findInfo((request.params as { slug: string }).slug);
        if (page) return sendSerialized(page, request, reply);
        return sendSerialized(await pages.missing(), request, reply.status(404));
      },
    };
    const personal: Handler = async (request, reply) =>
      sendSerialized(await pages.personal(pathOf(request)), request, reply);

    for (const path of pagePaths) app.get(path, special[path] ?? personal);
  }

  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request);
    const isPage = ['GET', 'HEAD'].includes(request.method) && !NO_PAGE.test(path);
    if (pages === undefined || !isPage) throw new AppError('NOT_FOUND', 'There is nothing at this address');
    return sendSerialized(await pages.missing(), request, reply.status(404));
  });
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

// The most addresses that one sitemap may name (sitemaps.org).
const MAX_SITEMAP_URLS = 50_000;

function sitemapXml(urls: string[]): string {
  const entries = urls.slice(0, MAX_SITEMAP_URLS).map((url) => `  <url><loc>${escapeHtml(url)}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...entries,
    '</urlset>',
    '',
  ].join('\n');
}

// What belongs to one visitor, and what only programs ask for.
const personal = [
  '/api/',
  '/test-mode/',
  '/admin',
  '/checkout',
  '/claim',
  '/confirm-email',
  '/find-order',
  '/forgot-password',
  '/login',
  '/order-items/',
  '/orders',
  '/profile',
  '/reset-password',
  '/undo-email',
  '/2fa-setup',
];

const robotsTxt = (publicUrl: string): string =>
  ['User-agent: *', ...personal.map((path) => `Disallow: ${path}`), '', `Sitemap: ${publicUrl}/sitemap.xml`, ''].join(
    '\n',
  );
