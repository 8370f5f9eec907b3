import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type InfoPage, infoSlug, type Shop, type VisitorLocation } from '../../../shared/content.ts';
import { orNotFound } from '../../../shared/errors.ts';
import type { Config } from '../../config.ts';
import type { Route } from '../../platform/http/route.ts';
import { unlessMissing } from '../../platform/system-errors.ts';

export function contentRoutes(route: Route, { shop, infoPages }: { shop: Shop; infoPages: InfoPages }): void {
  route('GET /shop', async () => ({ data: shop }));

  route('GET /location', ({ request }) => {
    // With TRUST_PROXY, Fastify lists forwarded IPs only behind a trusted proxy.
    const viaTrustedProxy = (request.ips?.length ?? 0) > 1;
    return locateVisitor({ ip: request.ip, proxyHeaders: viaTrustedProxy ? request.headers : {} });
  });

  route('GET /info-pages/:slug', async ({ params }) => ({
    data: orNotFound(await infoPages.find(params.slug), 'There is no such page'),
  }));
}

/** `proxyHeaders` is empty unless the request came through a trusted proxy. */
type Visitor = { ip: string; proxyHeaders: Record<string, string | string[] | undefined> };

// Headers of Cloudflare, CloudFront, Vercel, Google Cloud, App Engine, and proxies that are configured to add one.
const countryHeaders = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-client-geo-country',
  'x-appengine-country',
  'x-country-code',
];
const cityHeaders = ['cf-ipcity', 'cloudfront-viewer-city', 'x-vercel-ip-city', 'x-appengine-city'];
const MAX_CITY = 100;

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
// CLDR names this code, too ("Unknown Region"), but not the codes of proxies for an unknown country, XX and T1.
const UNKNOWN_REGION = 'ZZ';

/** Returns the visitor's country without calling a service. */
export async function locateVisitor({ ip, proxyHeaders }: Visitor): Promise<VisitorLocation> {
  const address = ip.replace(/^::ffff:(?=\d+\.)/, '');
  const proxyCountry = knownCountry(firstOf(proxyHeaders, countryHeaders));
  const code = proxyCountry ?? knownCountry(await countryOfAddress(address)) ?? '';
  return {
    country_code: code,
    country_name: code && (countryNames.of(code) ?? ''),
    ip: address,
    city: proxyCountry ? cityOf(firstOf(proxyHeaders, cityHeaders)) : '',
  };
}

const firstOf = (headers: Visitor['proxyHeaders'], names: string[]): string | undefined =>
  names.map((name) => headers[name]).find((value) => typeof value === 'string');

function knownCountry(code: string | undefined): string | undefined {
  const upper = code?.trim().toUpperCase() ?? '';
  if (!/^[A-Z]{2}$/.test(upper) || upper === UNKNOWN_REGION) return undefined;
  return countryNames.of(upper) === undefined ? undefined : upper;
}

// The header is percent-encoded, or it is UTF-8 that Node has decoded as Latin-1.
function cityOf(header = ''): string {
  try {
    return decodeURIComponent(Buffer.from(header, 'latin1').toString()).slice(0, MAX_CITY);
  } catch {
    return '';
  }
}

/**
 * Returns the country (ISO 3166-1 alpha-2) of the holder to whom an internet registry assigned an IP; undefined for
 * private, loopback and reserved IPs. The bundled table takes some 4 MB of memory, so it is loaded for the first
 * visitor.
 */
async function countryOfAddress(ip: string): Promise<string | undefined> {
  const { country_code } = await import('@roniemartinez/iptocc');
  const found: unknown = country_code(ip);
  return typeof found === 'string' ? found : undefined;
}

/** The owner's own texts: about.md is the page /info/about. */
const folder = resolve(import.meta.dirname, '../../../../content');

export type InfoPages = ReturnType<typeof createInfoPages>;

/** Reads a text on every request, so that an edit shows at once, and renders it when it has changed. */
export function createInfoPages({ storeName, contact, publicUrl }: Config) {
  // Values for `{name}` in the texts.
  const words = { store: storeName, url: publicUrl, ...contact, tel: contact.phone.replace(/[^+\d]/g, '') };
  const rendered = new Map<string, { source: string; page: Promise<InfoPage> }>();

  return {
    listSlugs,
    async find(slug: string): Promise<InfoPage | undefined> {
      if (!infoSlug.safeParse(slug).success) return undefined;
      const source = await readFile(join(folder, `${slug}.md`), 'utf8').catch(unlessMissing);
      if (source === undefined) return undefined;
      const known = rendered.get(slug);
      if (known?.source === source) return known.page;
      const page = renderMarkdown(source, words).then((text) => ({ slug, ...text }));
      rendered.set(slug, { source, page });
      page.catch(() => rendered.delete(slug));
      return page;
    },
  };
}

async function listSlugs(): Promise<string[]> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const slugs = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
  return slugs.filter((slug) => infoSlug.safeParse(slug).success).sort();
}

/**
 * Renders the owner's Markdown. HTML in it is escaped, and dangerous links are left out. `{name}` is replaced by the
 * value of that name. `description` is the first paragraph as plain text, `html` is everything except the first
 * heading.
 */
export async function renderMarkdown(source: string, values: Record<string, string>): Promise<Omit<InfoPage, 'slug'>> {
  // Loaded on first use, as few read a page. A failed load is retried: an upgrade may be installing packages.
  const { default: Parser } = await import('markdown-it');
  const markdown = new Parser({ html: false, linkify: false, typographer: true });
  const filled = source.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? escapeMarkdown(values[name] ?? '') : whole,
  );
  const tokens = markdown.parse(filled, {});
  const textAfter = (type: string) => {
    const content = tokens[tokens.findIndex((token) => token.type === type) + 1];
    return (content?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
  };
  const hasTitle = tokens[0]?.type === 'heading_open';
  return {
    title: hasTitle ? textAfter('heading_open') : '',
    description: textAfter('paragraph_open'),
    html: markdown.renderer.render(hasTitle ? tokens.slice(3) : tokens, markdown.options, {}),
  };
}

// Markdown allows a backslash before any punctuation, also in the URL of a link.
const escapeMarkdown = (text: string) => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
