import type { VisitorLocation } from '../../../shared/content.ts';

export interface Visitor {
  ip: string;
  /** What the proxy in front says of the visitor; empty where no proxy is trusted. */
  proxyHeaders: Record<string, string | string[] | undefined>;
}

// Cloudflare, CloudFront, Vercel, Google's load balancer and App Engine, and proxies that were told to add one.
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
// CLDR names even the country that is not known; of the proxies' own codes for that, XX and T1, it knows nothing.
const UNKNOWN_REGION = 'ZZ';

/** Says from which country somebody visits, without asking anybody outside the shop. */
export async function locateVisitor({ ip, proxyHeaders }: Visitor): Promise<VisitorLocation> {
  const address = ip.replace(/^::ffff:(?=\d+\.)/, '');
  const told = knownCountry(firstOf(proxyHeaders, countryHeaders));
  const code = told ?? knownCountry(await countryOfAddress(address)) ?? '';
  return {
    country_code: code,
    country_name: code && (countryNames.of(code) ?? ''),
    ip: address,
    city: told ? cityOf(firstOf(proxyHeaders, cityHeaders)) : '',
  };
}

function firstOf(headers: Visitor['proxyHeaders'], names: string[]): string | undefined {
  return names.map((name) => headers[name]).find((value) => typeof value === 'string');
}

function knownCountry(code: string | undefined): string | undefined {
  const upper = code?.trim().toUpperCase() ?? '';
  if (!/^[A-Z]{2}$/.test(upper) || upper === UNKNOWN_REGION) return undefined;
  return countryNames.of(upper) === undefined ? undefined : upper;
}

// A city's name comes percent-encoded, or in UTF-8, which Node hands on byte by byte.
function cityOf(header = ''): string {
  try {
    return decodeURIComponent(Buffer.from(header, 'latin1').toString()).slice(0, MAX_CITY);
  } catch {
    return '';
  }
}

/**
 * The country (ISO 3166-1 alpha-2) to whose holder an internet registry assigned an address; undefined for private,
 * loopback and reserved ones. The bundled table takes some 4 MB of memory, so it is loaded for the first visitor.
 */
async function countryOfAddress(ip: string): Promise<string | undefined> {
  const { country_code } = await import('@roniemartinez/iptocc');
  const found: unknown = country_code(ip);
  return typeof found === 'string' ? found : undefined;
}
