import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProductKind } from '../../../shared/catalog.ts';
import { AppError } from '../../../shared/errors.ts';
import { listPath, type PagePath, pagePaths, productPath } from '../../../shared/pages.ts';
import type { Deps } from '../../deps.ts';
import type { BuiltPage } from '../../platform/http/browser-files.ts';
import { wantsPage } from '../../platform/http/errors.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { createResponseCache, sendSerialized, serializeBody } from '../../platform/http/response-cache.ts';
import { listActiveProductIds } from '../catalog/catalog.queries.ts';
import { privateScreens } from './page-heads.ts';
import { createShopPages, isSearch, type ShopPagesParts } from './shop-pages.ts';

// Paths for which only a browser that opens them gets a page: probes, metrics (served on another port), files with an
// extension, and dot files. Calls of the API never get one.
const NO_PAGE = /^\/(api|healthz|readyz|metrics)(\/|$)|\.[^/.]*$|\/\.|%2e/i;

interface PagesParts extends Omit<ShopPagesParts, 'config' | 'built'> {
  /** Undefined when the browser side is not built; then no pages are served. */
  built: BuiltPage | undefined;
}

/** The pages, robots.txt and sitemap.xml. An unknown path answers 404: a page to a browser that opens it, else JSON. */
export function pagesRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'limits'>,
  parts: PagesParts,
) {
  const { publicUrl } = deps.config;
  // Counted by the limit of the catalogue's calls, because these pages cost as much.
  const countAsCatalogue = (request: FastifyRequest) => deps.limits.countRequest('catalogue', { address: request.ip });
  const pages = parts.built && createShopPages({ ...parts, built: parts.built, config: deps.config });

  app.get('/robots.txt', (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(robotsTxt(publicUrl)),
  );

  const sitemaps = createResponseCache<string[]>(deps.clock, (paths) =>
    serializeBody(sitemapXml(paths.map((path) => `${publicUrl}${path}`)), 'application/xml; charset=utf-8'),
  );
  app.get('/sitemap.xml', { onRequest: countAsCatalogue }, async (request, reply) => {
    const sitemap = await sitemaps('', async () => {
      const [products, slugs] = await Promise.all([
        listActiveProductIds(deps.db, MAX_SITEMAP_URLS),
        parts.infoPages.listSlugs(),
      ]);
      const hasPhysical = products.some(({ kind }) => kind === 'physical');
      return [
        ...['/', ...(hasPhysical ? [listPath('physical')] : [])],
        ...slugs.map((slug) => `/info/${slug}`),
        ...products.map(({ kind, id }) => productPath({ kind, _id: id })),
      ];
    });
    return sendSerialized(sitemap, request, reply);
  });

  if (pages !== undefined) {
    type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
    const productPage =
      (kind: ProductKind): Handler =>
      async (request, reply) => {
        await countAsCatalogue(request);
        const page = await pages.findProduct(kind, (request.params as { id: string }).id);
        return sendSerialized(page ?? (await pages.missingProduct()), request, reply.status(page ? 200 : 404));
      };
    const special: Partial<Record<PagePath, Handler>> = {
      '/': async (request, reply) => {
        if (isSearch(request.query)) await countAsCatalogue(request);
        return sendSerialized(await pages.home(request.query), request, reply);
      },
      '/digital-product/:id': productPage('digital'),
      '/product/:id': productPage('physical'),
      '/info/:slug': async (request, reply) => {
        const page = await pages.findInfo((request.params as { slug: string }).slug);
        return sendSerialized(page ?? (await pages.missing()), request, reply.status(page ? 200 : 404));
      },
    };
    const personal: Handler = async (request, reply) =>
      sendSerialized(await pages.personal(pathOf(request)), request, reply);

    for (const path of pagePaths) app.get(path, special[path] ?? personal);
  }

  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request);
    const isPage = wantsPage(request) || (['GET', 'HEAD'].includes(request.method) && !NO_PAGE.test(path));
    if (pages === undefined || !isPage) throw new AppError('NOT_FOUND', 'There is nothing at this address');
    return sendSerialized(await pages.missing(), request, reply.status(404));
  });
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

// Maximum of one sitemap (sitemaps.org).
const MAX_SITEMAP_URLS = 50_000;

const sitemapXml = (urls: string[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls
  .slice(0, MAX_SITEMAP_URLS)
  .map((url) => `  <url><loc>${escapeHtml(url)}</loc></url>\n`)
  .join('')}</urlset>
`;

const robotsTxt = (publicUrl: string): string => `User-agent: *
${['api/', 'test-mode/', ...Object.keys(privateScreens).filter((screen) => screen !== 'register')]
  .map((path) => `Disallow: /${path}\n`)
  .join('')}
Sitemap: ${publicUrl}/sitemap.xml
`;
