import {
  type CategoryEntry,
  category,
  type ProductKind,
  productListQuery,
  sortOption,
} from '../../../shared/catalog.ts';
import type { Shop } from '../../../shared/content.ts';
import { type ListFilters, PAGE_DATA_ELEMENT, type PageData } from '../../../shared/pages.ts';
import { id } from '../../../shared/text.ts';
import type { Config } from '../../config.ts';
import type { BuiltPage } from '../../platform/http/browser-files.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { createBodyCache, type SerializedBody, serializeBody } from '../../platform/http/response-cache.ts';
import type { PublicCatalog } from '../catalog/present-product.ts';
import type { ClosedText } from '../closing/closing.ts';
import type { PublishedReviews, ReviewPage } from '../reviews/present-review.ts';
import type { InfoPages } from './content.routes.ts';
import { createPageHeads, type PageHead } from './page-heads.ts';

export interface ShopPagesParts {
  config: Config;
  shop: Shop;
  catalog: PublicCatalog;
  reviews: PublishedReviews;
  infoPages: InfoPages;
  closedText: ClosedText;
  built: BuiltPage;
}

type ListPage = NonNullable<PageData['lists']>[number]['page'];

const IN_SIGHT = 2;
// Home shows some of these products above the list, whatever the category and sort of the list.
const shopWindow = (kind: ProductKind): ListFilters => ({ kind, category: undefined, sort: 'featured' });

/** Renders the pages of the shop, each with the data that its screen needs first. */
export function createShopPages({ config, shop, catalog, reviews, infoPages, closedText, built }: ShopPagesParts) {
  const heads = createPageHeads({ shop, publicUrl: config.publicUrl });
  const cached = createPageCache();
  const template = createPageTemplate(built.indexHtml, shop.storeName);
  const fill = (head: PageHead, data: Omit<PageData, 'shop'>): string => template(head, { shop, ...data });

  /** Returns a page, cached until its data changes. The scripts of its screen (`module`) are preloaded. */
  function pageOf(key: string, head: PageHead, data: Omit<PageData, 'shop'> = {}, module?: string) {
    const scripts = (module ? built.scriptsOf(module) : []).map((url) => ({ as: 'script' as const, url }));
    const preloads = [...head.preloads, ...scripts];
    return cached(key, JSON.stringify(data), () => fill({ ...head, preloads }, data));
  }

  const listOf = ({ kind, ...query }: ListFilters) => catalog.list(kind, query);

  return {
    async home(query: unknown): Promise<SerializedBody> {
      const [digital, physical] = await Promise.all([catalog.categories('digital'), catalog.categories('physical')]);
      const categories = { digital: entriesOf(digital), physical: entriesOf(physical) };
      const { q, ...filters } = filtersOf(query, categories.physical);
      const window = shopWindow(filters.kind);
      const [everything, inWindow, closed] = await Promise.all([listOf(filters), listOf(window), closedText()]);
      const lists: { filters: ListFilters; answer: SerializedBody }[] = [{ filters, answer: everything }];
      if (filters.category || filters.sort !== window.sort) lists.push({ filters: window, answer: inWindow });
      // The browser itself searches a list of one page. Only a list with further pages is searched here.
      if (q && listPageOf(everything).nextCursor !== null) {
        lists.push({ filters: { ...filters, q }, answer: await listOf({ ...filters, q }) });
      }
      const key = JSON.stringify([q === undefined, lists.map((list) => list.filters)]);
      const madeOf = [digital.etag, physical.etag, closed.etag, ...lists.map(({ answer }) => answer.etag)].join();
      return cached(key, madeOf, () => {
        const pages = lists.map((list) => ({ filters: list.filters, page: listPageOf(list.answer) }));
        const preloads = q ? [] : picturesInSight(pages[0]?.page);
        const head = { ...heads.home(filters, categories[filters.kind]), preloads };
        return fill(head, { categories, lists: pages, closed: bodyOf(closed).data.text });
      });
    },

    async findProduct(kind: ProductKind, productId: string): Promise<SerializedBody | undefined> {
      const product = id.safeParse(productId).success ? await catalog.findProduct(kind, productId) : undefined;
      if (!product) return undefined;
      const reviewPage: ReviewPage = bodyOf(await reviews({ product: product._id }));
      const screen = 'features/catalog/product-screen.tsx';
      const head = heads.product(product, reviewPage.data);
      return pageOf(`product ${product._id}`, head, { product, reviews: reviewPage }, screen);
    },

    async findInfo(slug: string): Promise<SerializedBody | undefined> {
      const infoPage = await infoPages.find(slug);
      return infoPage && pageOf(`info ${slug}`, heads.info(infoPage), { infoPage }, 'features/info/info-screen.tsx');
    },

    missingProduct: () => pageOf('missing product', heads.missingProduct()),

    personal(path: string): Promise<SerializedBody> {
      const head = heads.personal(path);
      return pageOf(`personal ${head.title}`, head);
    },

    missing: () => pageOf('missing page', heads.missing()),
  };
}

export const isSearch = (query: unknown): boolean => Boolean(searchOf(query));

const searchOf = (query: unknown) => productListQuery.shape.q.safeParse(Object(query)['q']).data;

/** The filters of a URL, without unknown values, as in the browser. `physical`: the categories of physical products. */
function filtersOf(query: unknown, physical: CategoryEntry[]): ListFilters {
  const given = Object(query) as Record<string, unknown>;
  const q = searchOf(query);
  const kind = given['kind'] === 'physical' ? 'physical' : 'digital';
  return {
    kind,
    category:
      kind === 'digital'
        ? category.safeParse(given['category']).data
        : physical.find(({ name }) => name === given['category'])?.name,
    sort: sortOption.safeParse(given['sort']).data ?? 'featured',
    ...(q && { q }),
  };
}

const bodyOf = ({ identity }: SerializedBody) => JSON.parse(identity.toString());

const entriesOf = (answer: SerializedBody): CategoryEntry[] => bodyOf(answer).data;

const listPageOf = (answer: SerializedBody): ListPage => bodyOf(answer);

const picturesInSight = (list: ListPage | undefined): PageHead['preloads'] =>
  (list?.data ?? []).slice(0, IN_SIGHT).map(({ image }) => ({ as: 'image', url: image }));

const MAX_PAGES = 100;

/** Caches each page until `madeOf` changes. */
function createPageCache() {
  const cached = createBodyCache<string>(MAX_PAGES);

  return (key: string, madeOf: string, make: () => string): Promise<SerializedBody> =>
    cached({ key, madeOf, isFresh: (earlier) => earlier === madeOf }, () =>
      serializeBody(make(), 'text/html; charset=utf-8'),
    );
}

const TITLE = /<title>[^<]*<\/title>\s*/;
const DESCRIPTION = /<meta\s+name="description"[^>]*>\s*/;
const SPLASH_NAME = /<b>[^<]*<\/b>/;

/** Makes pages from the built index.html. Throws when a part to be replaced is missing. */
export function createPageTemplate(indexHtml: string, storeName: string) {
  for (const part of [TITLE, DESCRIPTION, SPLASH_NAME]) {
    if (!part.test(indexHtml)) throw new Error(`index.html has nothing like ${part}`);
  }
  const bare = indexHtml
    .replace(TITLE, '')
    .replace(DESCRIPTION, '')
    .replace(SPLASH_NAME, () => `<b>${escapeHtml(storeName)}</b>`);
  const [beforeHeadEnd, afterHead] = cutBefore(bare, '</head>');
  const [beforeBodyEnd, afterBody] = cutBefore(afterHead, '</body>');
  return (head: PageHead, data: PageData): string =>
    [
      beforeHeadEnd,
      headTags(head),
      beforeBodyEnd,
      `<script type="application/json" id="${PAGE_DATA_ELEMENT}">${jsonInScript(data)}</script>\n`,
      afterBody,
    ].join('');
}

function cutBefore(text: string, mark: string): [string, string] {
  const position = text.indexOf(mark);
  if (position === -1) throw new Error(`index.html has no ${mark}`);
  return [text.slice(0, position), text.slice(position)];
}

function headTags(head: PageHead): string {
  const { canonicalUrl } = head;
  const tags = [
    `<title>${escapeHtml(head.title)}</title>`,
    meta('name', 'description', head.description),
    canonicalUrl ? `<link rel="canonical" href="${escapeHtml(canonicalUrl)}">` : meta('name', 'robots', 'noindex'),
    ...(canonicalUrl ? shareTags(head, canonicalUrl) : []),
    ...head.preloads.map(preload),
    ...(head.jsonLd ? [`<script type="application/ld+json">${jsonInScript(head.jsonLd)}</script>`] : []),
  ];
  return `${tags.join('\n')}\n`;
}

function shareTags(head: PageHead, url: string): string[] {
  const openGraph = {
    'og:type': head.type,
    'og:site_name': head.storeName,
    'og:locale': 'en_MY',
    'og:title': head.title,
    'og:description': head.description,
    'og:url': url,
    'og:image': head.image.url,
    'og:image:alt': head.image.alt,
    ...head.properties,
  };
  return [
    ...Object.entries(openGraph).map(([name, content]) => meta('property', name, content)),
    meta('name', 'twitter:card', 'summary_large_image'),
  ];
}

const meta = (key: 'name' | 'property', name: string, content: string) =>
  `<meta ${key}="${name}" content="${escapeHtml(content)}">`;

const preload = ({ as, url }: PageHead['preloads'][number]) =>
  as === 'script'
    ? `<link rel="modulepreload" crossorigin href="${escapeHtml(url)}">`
    : `<link rel="preload" as="image" href="${escapeHtml(url)}">`;

/** Serializes JSON that can neither end its script element nor open a comment in it. */
const jsonInScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
