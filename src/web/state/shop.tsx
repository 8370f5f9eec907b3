import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Shop } from '../../shared/shop.ts';
import { call } from '../lib/api-client.ts';

export const shopQuery = queryOptions({
  queryKey: ['shop'],
  queryFn: async () => (await call('GET /shop')).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** What the browser must know of this shop; undefined until the server answered. */
export function useShop(): Shop | undefined {
  return useQuery(shopQuery).data;
}
