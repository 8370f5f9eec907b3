import type { Shop, VisitorLocation } from '../../../shared/content.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Route } from '../../platform/http/route.ts';
import type { InfoPages } from './info-pages.ts';

export function contentRoutes(route: Route, { shop, infoPages }: { shop: Shop; infoPages: InfoPages }): void {
  route('GET /shop', async () => ({ data: shop }));

  route('GET /location', ({ request }) => {
    // With TRUST_PROXY, Fastify lists forwarded IPs only behind a trusted proxy.
    const viaTrustedProxy = (request.ips?.length ?? 0) > 1;
    return locateVisitor({ ip: request.ip, proxyHeaders: viaTrustedProxy ? request.headers : {} });
  });

  route('GET /info-pages/:slug', async ({ params }) => {
    const page = await infoPages.find(params.slug);
    if (!page) throw new AppError('NOT_FOUND', 'There is no such page');
    return { data: page };
  });
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
