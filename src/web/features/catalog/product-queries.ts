import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ListFilters } from '../../../shared/pages.ts';
import { call } from '../../lib/api-client.ts';

const CACHED_MS = 60 * 60_000;

/**
 * The list page by page; the first page is large enough for all products of a small shop. The pages are cached for an hour, so
 * that the way back from a product leads to the same scroll position.
 */
export const productsQuery = ({ category, sort, q }: ListFilters) =>
  infiniteQueryOptions({
    queryKey: ['products', { category, sort, q }],
    queryFn: ({ pageParam }) =>
      call('GET /digital-products', {
        query: { category, sort, ...(q ? { q } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    gcTime: CACHED_MS,
  });

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: async () => (await call('GET /digital-products/categories/list')).data,
});

export const productQuery = (id: string) =>
  queryOptions({
    queryKey: ['product', id],
    queryFn: async () => (await call('GET /digital-products/:id', { params: { id } })).data,
  });
