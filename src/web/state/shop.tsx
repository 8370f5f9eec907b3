import { useQuery } from '@tanstack/react-query';
import type { Shop } from '../../shared/shop.ts';
import { call } from '../lib/api-client.ts';

/** What the browser must know of this shop; undefined until the server answered. */
export function useShop(): Shop | undefined {
  const { data } = useQuery({
    queryKey: ['shop'],
    queryFn: async () => (await call('getShop')).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
