import type { Api } from './api.ts';
import type { Category, CategoryEntry, DigitalProduct, SortOption } from './catalog.ts';
import type { OutputOf } from './endpoint.ts';
import type { InfoPage } from './info-pages.ts';
import type { Shop } from './shop.ts';

/** What narrows the list of products, as the address of home says it. */
export interface ListFilters {
  category: Category | undefined;
  sort: SortOption;
  q?: string;
}

/**
 * What a page as the server sends it carries for its screen, each part as its own call would answer it, so that the
 * screen paints without a second trip.
 */
export interface PageData {
  shop: Shop;
  categories?: CategoryEntry[];
  lists?: { filters: ListFilters; page: OutputOf<Api['GET /digital-products']> }[];
  product?: DigitalProduct;
  infoPage?: InfoPage;
}

/** The element of the page that holds it as JSON. */
export const PAGE_DATA_ELEMENT = 'page-data';
