import type { Api } from './api.ts';
import type { CategoryEntry, Product, ProductKind, SortOption } from './catalog.ts';
import type { InfoPage, Shop } from './content.ts';
import type { OutputOf } from './endpoint.ts';

/** Paths that the server answers with 200; the browser's router has a screen for each (src/web/routes.tsx). */
export const pagePaths = [
  '/',
  '/digital-product/:id',
  '/product/:id',
  '/checkout',
  '/orders',
  '/orders/:orderId',
  '/orders/:orderId/receipt',
  '/order-items/:orderId',
  '/review/:productId',
  '/profile',
  '/2fa-setup',
  '/admin',
  '/admin/products/new',
  '/admin/products/:id',
  '/admin/audit-log',
  '/admin/orders/:id',
  '/admin/problem-reports/:id',
  '/admin/users/:id',
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password',
  '/confirm-email',
  '/undo-email',
  '/find-order',
  '/claim',
  '/info/:slug',
] as const;

export type PagePath = (typeof pagePaths)[number];

/** The information pages that the footer and the pages themselves link to; each is a file in content/. */
export const infoLinks = [
  { slug: 'about', label: 'About us' },
  { slug: 'faq', label: 'FAQ' },
  { slug: 'delivery', label: 'Delivery' },
  { slug: 'refunds', label: 'Refunds' },
  { slug: 'support', label: 'Support' },
  { slug: 'contact', label: 'Contact' },
  { slug: 'terms', label: 'Terms' },
  { slug: 'privacy', label: 'Privacy' },
];

export const productPath = ({ kind, _id }: Pick<Product, 'kind' | '_id'>): string =>
  kind === 'digital' ? `/digital-product/${_id}` : `/product/${_id}`;

export const listTitles: Record<ProductKind, string> = {
  digital: 'Digital goods, delivered instantly',
  physical: 'Physical goods, sent to your door',
};

/** Returns the path of the home page with the list of a kind, or of one of its categories. */
export function listPath(kind: ProductKind, category?: string): string {
  const query = [
    ...(kind === 'physical' ? ['kind=physical'] : []),
    ...(category ? [`category=${encodeURIComponent(category).replaceAll('%20', '+')}`] : []),
  ];
  return query.length === 0 ? '/' : `/?${query.join('&')}`;
}

/** Filters of the list of products, read from the URL of the home page. */
export interface ListFilters {
  kind: ProductKind;
  category: string | undefined;
  sort: SortOption;
  q?: string;
}

/** Data that the server embeds in a page for its screen's first render. Each part equals its own call's response. */
export interface PageData {
  shop: Shop;
  categories?: Record<ProductKind, CategoryEntry[]>;
  lists?: { filters: ListFilters; page: OutputOf<Api['GET /digital-products' | 'GET /products']> }[];
  product?: Product;
  /** Reviews of `product`. */
  reviews?: OutputOf<Api['GET /reviews']>;
  infoPage?: InfoPage;
  /** The message to buyers while the shop is closed. */
  closed?: string | null;
}

export const PAGE_DATA_ELEMENT = 'page-data';
