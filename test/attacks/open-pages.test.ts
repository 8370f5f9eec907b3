import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/shared/api.ts';
import type { NamedEndpoint } from '../../src/shared/endpoint.ts';
import { pagePaths } from '../../src/shared/pages.ts';
import { makePhysicalProduct, makeProduct } from '../factories.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

const MISSING = '01900000-0000-7000-8000-000000000000';
const key = Buffer.alloc(32, 7).toString('base64');
const production = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://shop.example',
  MASTER_KEYS: `m1:${key}`,
  JWT_KEYS: `j1:${key}`,
  TEST_MODE_PAYMENTS: 'allow',
};

let shops: Record<'plain' | 'production' | 'limited', TestShop>;
beforeAll(async () => {
  shops = {
    plain: await startTestShop(),
    production: await startTestShop({ settings: production }),
    limited: await startTestShop({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } }),
  };
});
afterAll(() => Promise.all(Object.values(shops).map((shop) => shop.stop())));

it('request ids reveal neither the number nor the sequence of requests', async () => {
  const ids = await Promise.all(
    Array.from({ length: 10 }, async () => (await (await fetch(`${shops.plain.url}/api/auth/me`)).json()).requestId),
  );
  expect(new Set(ids).size).toBe(10);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

describe('the API documentation', () => {
  const callsOf = (access: (endpoint: NamedEndpoint) => boolean) =>
    endpoints
      .filter(access)
      .map(({ method, path }) => `${method} /api${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      .sort();
  async function describedBy(shop: TestShop): Promise<string[]> {
    const { paths } = await (await fetch(`${shop.url}/api/docs/json`)).json();
    return Object.entries<object>(paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .sort();
  }

  it('lists exactly the calls of the contract', async () => {
    expect(await describedBy(shops.plain)).toEqual(callsOf(() => true));
  });

  it('lists no calls of administrators in production, in any format', async () => {
    expect(await describedBy(shops.production)).toEqual(callsOf(({ access }) => access !== 'admin'));
    for (const path of ['/api/docs', '/api/docs/json', '/api/docs/yaml']) {
      const answer = await fetch(`${shops.production.url}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text()).not.toMatch(/\/admin|inventory|dashboard/);
    }
  });

  it('is limited like the catalogue, and its documents are sent compressed, and only to clients without a copy', async () => {
    const { url } = shops.limited;
    const open = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers: { 'x-forwarded-for': '198.51.100.200', ...headers } });
    for (const path of ['/api/docs/json', '/api/docs/yaml']) {
      const { headers } = await open(path);
      expect(headers.get('content-encoding')).toBe('gzip');
      const { status } = await open(path, { 'if-none-match': headers.get('etag') ?? '' });
      expect([path, status]).toEqual([path, 304]);
    }
    for (let count = 0; count < 296; count += 1) expect((await open('/api/digital-products')).status).toBe(200);
    expect((await open('/api/docs/json')).status).toBe(429);
  });
});

describe('a path', () => {
  const open = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${shops.plain.url}${path}`, { redirect: 'manual', ...init });
    return { status: answer.status, html: await answer.text() };
  };
  const PAGE = /<div id="root">/;

  it.each(pagePaths.filter((path) => !/^\/(digital-product|product|info)\//.test(path)))(
    '%s of the browser’s router answers with the page, with or without a trailing slash',
    async (path) => {
      const concrete = path.replaceAll(/:\w+/g, MISSING);
      for (const asked of [concrete, `${concrete}${concrete.endsWith('/') ? '' : '/'}`]) {
        const { status, html } = await open(asked);
        expect([asked, status]).toEqual([asked, 200]);
        expect(html).toMatch(PAGE);
      }
      expect((await open(concrete, { method: 'HEAD' })).status).toBe(200);
    },
  );

  it('of a product or an information page answers 404 if that does not exist', async () => {
    const { id } = await makeProduct(shops.plain.deps);
    for (const [path, status] of [
      [`/digital-product/${id}`, 200],
      [`/digital-product/${MISSING}`, 404],
      [`/product/${await makePhysicalProduct(shops.plain.deps)}`, 200],
      [`/product/${MISSING}`, 404],
      ['/info/refunds', 200],
      ['/info/nothing', 404],
    ] as const) {
      const answer = await open(path);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.html).toMatch(PAGE);
    }
  });

  it.each([
    '/nowhere',
    '/nowhere/at/all?really=yes',
    '/Login',
    '/login/again',
    '/order-items',
    '/order-items/',
    '/digital-product/',
    '/admin/nothing',
    '/kit',
    '/constructor',
    '/shop.example/login',
    `/order-items/${'x'.repeat(200)}`,
  ])('%s that does not exist answers 404 with the "Page not found" page', async (path) => {
    const { status, html } = await open(path);
    expect(status).toBe(404);
    expect(html).toMatch(PAGE);
    expect(html).toContain('<title>Page not found');
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect((await open(path, { method: 'HEAD' })).status).toBe(404);
  });
});

describe('the rate limit of the catalogue also covers', () => {
  it.each<[string, string]>([
    ['a search on the home page', '/?q=anything'],
    ['a product’s page', `/digital-product/${MISSING}`],
    ['the page of a physical product', `/product/${MISSING}`],
    ['the sitemap', '/sitemap.xml'],
  ])('%s', async (name, path) => {
    const { url } = shops.limited;
    const open = (asked: string, accept = '*/*') =>
      fetch(`${url}${asked}`, { headers: { accept, 'x-forwarded-for': `198.51.100.${name.length}` } });
    for (let count = 0; count < 298; count += 1) {
      expect((await open('/api/digital-products')).status).toBe(200);
    }
    for (let count = 0; count < 2; count += 1) expect((await open(path)).status).not.toBe(429);
    const refused = await open(path);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await open(path, 'text/html');
    expect(page.status).toBe(429);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await page.text()).toContain('<h1>Please wait a moment</h1>');
    expect((await open('/api/digital-products')).status).toBe(429);
    // Pages with neither a search nor a product are not limited.
    expect((await open('/')).status).toBe(200);
    expect((await open('/login')).status).toBe(200);
  });
});
