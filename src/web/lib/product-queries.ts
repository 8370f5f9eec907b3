import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CategoryEntry, Product, ProductKind, ProductListQuery } from '../../shared/catalog.ts';
import type { ListFilters } from '../../shared/pages.ts';
import { call } from './api-client.ts';

// The calls of the two kinds differ in their paths only.

const paths = { digital: '/digital-products', physical: '/products' } as const;

export interface ProductPage {
  data: Product[];
  nextCursor: string | null;
  total: number | null;
  hasUncounted: boolean;
}

export const loadProducts = (kind: ProductKind, query: ProductListQuery): Promise<ProductPage> =>
  call(`GET ${paths[kind]}`, { query });

const CACHED_MS = 60 * 60_000;

/** The list page by page, cached for an hour, so that the way back from a product leads to the same position. */
export const productsQuery = ({ kind, category, sort, q }: ListFilters) =>
  infiniteQueryOptions({
    queryKey: ['products', { kind, category, sort, q }],
    queryFn: ({ pageParam }) =>
      loadProducts(kind, { category, sort, ...(q ? { q } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    gcTime: CACHED_MS,
  });

export const categoriesQuery = (kind: ProductKind) =>
  queryOptions({
    queryKey: ['categories', kind],
    queryFn: async (): Promise<CategoryEntry[]> => (await call(`GET ${paths[kind]}/categories/list`)).data,
  });

export const productQuery = (kind: ProductKind, id: string) =>
  queryOptions({
    queryKey: ['product', kind, id],
    queryFn: async (): Promise<Product> => (await call(`GET ${paths[kind]}/:id`, { params: { id } })).data,
  });

export const reviewsQuery = (product: string) =>
  infiniteQueryOptions({
    queryKey: ['reviews', product],
    queryFn: ({ pageParam: cursor }) =>
      call('GET /reviews', { query: { product, ...(cursor === null ? {} : { cursor }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
