import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';

export const infoPageQuery = (slug: string) =>
  queryOptions({
    queryKey: ['info-page', slug],
    queryFn: async () => (await call('GET /info-pages/:slug', { params: { slug } })).data,
  });
