import { queryOptions } from '@tanstack/react-query';
import { call } from './api-client.ts';

/** The information pages that the footer and they themselves lead to, each a file of content/. */
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

export const infoPageQuery = (slug: string) =>
  queryOptions({
    queryKey: ['info-page', slug],
    queryFn: async () => (await call('GET /info-pages/:slug', { params: { slug } })).data,
  });
