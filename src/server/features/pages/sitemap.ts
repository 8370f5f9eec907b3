import { escapeHtml } from '../../platform/http/html.ts';

// The most addresses that one sitemap may name (sitemaps.org).
export const MAX_SITEMAP_URLS = 50_000;

export function sitemapXml(urls: string[]): string {
  const entries = urls.slice(0, MAX_SITEMAP_URLS).map((url) => `  <url><loc>${escapeHtml(url)}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...entries,
    '</urlset>',
    '',
  ].join('\n');
}

// What belongs to one visitor, and what only programs ask for.
const personal = [
  '/api/',
  '/test-mode/',
  '/admin',
  '/checkout',
  '/claim',
  '/confirm-email',
  '/find-order',
  '/forgot-password',
  '/login',
  '/order-items/',
  '/orders',
  '/profile',
  '/reset-password',
  '/undo-email',
  '/2fa-setup',
];

export const robotsTxt = (publicUrl: string): string =>
  [
    'User-agent: *',
    ...personal.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n');
