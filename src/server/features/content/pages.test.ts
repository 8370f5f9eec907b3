import { describe, expect, it } from 'vitest';
import { makePhysicalProduct, makeProduct } from '../../../../test/factories.ts';
import { signedIn, signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { PageData } from '../../../shared/pages.ts';
import { putClosed } from '../closing/closing.ts';

const ORIGIN = 'https://shop.example';
const NASTY = `</script><img src=x onerror=alert(1)> & "Co"`;

const shop = await openTestShop({ settings: { PUBLIC_URL: ORIGIN, STORE_NAME: 'Toko' } });

// Passes the second for which answers are cached.
const soon = () => shop.pass(1_000);

async function open(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${shop.url}${path}`, { headers });
  const html = await response.text();
  const script = (type: string) =>
    new RegExp(`<script type="${type}"[^>]*>(?<json>.*?)</script>`, 's').exec(html)?.groups?.['json'];
  return {
    status: response.status,
    headers: response.headers,
    html,
    title: /<title>(?<title>.*?)<\/title>/.exec(html)?.groups?.['title'],
    canonical: /<link rel="canonical" href="(?<url>.*?)">/.exec(html)?.groups?.['url'],
    meta: (name: string) => new RegExp(`<meta \\w+="${name}" content="(.*?)">`).exec(html)?.[1],
    jsonLd: () => JSON.parse(script('application/ld\\+json') ?? 'null'),
    data: (): PageData => JSON.parse(script('application/json') ?? 'null'),
  };
}

const answerOf = async (path: string) => (await fetch(`${shop.url}/api${path}`)).json();

describe('the home page', () => {
  it('carries the data that its screen needs', async () => {
    await makeProduct(shop.deps, { featured: true });
    soon();
    const { data } = await open('/');
    expect(data()).toEqual({
      shop: (await answerOf('/shop')).data,
      categories: {
        digital: (await answerOf('/digital-products/categories/list')).data,
        physical: (await answerOf('/products/categories/list')).data,
      },
      lists: [
        { filters: { kind: 'digital', sort: 'featured' }, page: await answerOf('/digital-products?sort=featured') },
      ],
      closed: null,
    });
  });

  it('carries the text to buyers while the shop is closed', async () => {
    const { db, clock } = shop.deps;
    const closed = { since: clock.now(), reason: 'Stocktaking', message: 'Back at noon.' };
    await db.transaction().execute((trx) => putClosed(trx, closed));
    soon();
    const page = await open('/').finally(() => db.deleteFrom('shop_closed').execute());
    expect(page.data().closed).toBe('Back at noon.');
    soon();
    expect((await open('/')).data().closed).toBeNull();
  });

  it('has a title, a canonical URL, a share image and structured data', async () => {
    const home = await open('/?sort=newest&q=game');
    expect(home.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(home.title).toBe('Digital goods, delivered instantly · Toko');
    expect(home.canonical).toBe(`${ORIGIN}/`);
    expect(home.meta('og:image')).toBe(`${ORIGIN}/share.png`);
    expect(home.jsonLd()).toMatchObject({ '@type': 'OnlineStore', name: 'Toko', url: `${ORIGIN}/` });
  });

  it('carries the list that its URL asks for, and the default list', async () => {
    const cheap = await makeProduct(shop.deps, { category: 'Courses', price_cents: 100 });
    const dear = await makeProduct(shop.deps, { category: 'Courses', price_cents: 900 });
    soon();
    const page = await open('/?category=Courses&sort=price_desc');
    const [filtered, inWindow] = page.data().lists ?? [];
    expect(filtered?.filters).toEqual({ kind: 'digital', category: 'Courses', sort: 'price_desc' });
    expect(filtered?.page.data.map((product) => product._id)).toEqual([dear.id, cheap.id]);
    expect(inWindow?.filters).toEqual({ kind: 'digital', sort: 'featured' });
    expect(page.title).toBe('Courses · Toko');
    expect(page.canonical).toBe(`${ORIGIN}/?category=Courses`);
    expect(page.meta('description')).toBe('Courses at Toko: 2 in stock, delivered the moment you pay.');

    await makeProduct(shop.deps, { category: 'Netflix', delivery: 'manual', stock: null, items: 0 });
    soon();
    const unlimited = await open('/?category=Netflix');
    expect(unlimited.meta('description')).toBe('Netflix at Toko: delivered the moment you pay.');
  });

  it.each(['/?category=Nothing', '/?sort=sideways', '/?category=VPN&category=eBooks', `/?q=${'a'.repeat(201)}`])(
    'ignores the invalid query of %s',
    async (path) => {
      const { status, data } = await open(path);
      expect(status).toBe(200);
      expect(data().lists?.map(({ filters }) => filters)).toEqual([{ kind: 'digital', sort: 'featured' }]);
    },
  );

  it('searches a list longer than one page on the server, and leaves a shorter one to the browser', async () => {
    expect((await open('/?q=needle')).data().lists).toHaveLength(1);
    const many = Array.from({ length: 100 }, () => makeProduct(shop.deps, { category: 'VPN', items: 0 }));
    await Promise.all(many);
    const needle = await makeProduct(shop.deps, { category: 'VPN', items: 0, name: 'Needle', created_at: new Date(0) });
    soon();
    const lists = (await open('/?category=VPN&q=needle')).data().lists ?? [];
    const found = lists.find(({ filters }) => filters.q === 'needle');
    expect(found?.page.data.map((product) => product._id)).toEqual([needle.id]);
  });

  it('carries the physical products that its URL asks for, with a matching title and description', async () => {
    const mug = await makePhysicalProduct(shop.deps, { category: 'Mugs & Cups', stock: 7 });
    await makePhysicalProduct(shop.deps, { category: 'Mice' });
    soon();
    const { filters, page } = (await open('/?kind=physical')).data().lists?.[0] ?? {};
    expect(filters).toEqual({ kind: 'physical', sort: 'featured' });
    expect(page).toEqual(await answerOf('/products?sort=featured'));

    const mugs = await open('/?kind=physical&category=Mugs+%26+Cups');
    expect(mugs.data().lists?.[0]?.page.data.map((product) => product._id)).toEqual([mug]);
    expect(mugs.title).toBe('Mugs &amp; Cups · Toko');
    expect(mugs.canonical).toBe(`${ORIGIN}/?kind=physical&amp;category=Mugs+%26+Cups`);
    expect(mugs.meta('description')).toBe('Mugs &amp; Cups at Toko: 7 in stock, sent to your door.');

    const unknown = await open('/?kind=physical&category=Game+Keys');
    expect(unknown.data().lists?.map((list) => list.filters)).toEqual([{ kind: 'physical', sort: 'featured' }]);
    expect(unknown.title).toBe('Physical goods, sent to your door · Toko');
    expect(unknown.canonical).toBe(`${ORIGIN}/?kind=physical`);
  });

  it('is answered with 304 while it is unchanged, and sent again after a change', async () => {
    const first = await open('/');
    const etag = first.headers.get('etag') ?? '';
    expect(await open('/', { 'if-none-match': etag })).toMatchObject({ status: 304, html: '' });
    await makeProduct(shop.deps);
    soon();
    expect((await open('/', { 'if-none-match': etag })).status).toBe(200);
  });

  it('escapes markup in names', async () => {
    const product = await makeProduct(shop.deps, { name: NASTY, category: 'eBooks' });
    soon();
    const { html, data } = await open('/?category=eBooks');
    expect(html).not.toContain('<img src=x');
    expect(data().lists?.[0]?.page.data.map(({ name }) => name)).toEqual([product.name]);
  });
});

describe('a product page', () => {
  it('carries its product, with title, description and structured data', async () => {
    const product = await makeProduct(shop.deps, {
      name: 'Neon Rally',
      description: `A race through the night. ${'Faster and faster. '.repeat(20)}`,
      price_cents: 2000,
      discount_type: 'percentage',
      discount_basis_points: 2500,
      discount_ends_at: new Date('2099-01-01T00:00:00Z'),
    });
    const url = `${ORIGIN}/digital-product/${product.id}`;
    const page = await open(`/digital-product/${product.id}`);
    expect(page.status).toBe(200);
    expect(page.data().product).toEqual((await answerOf(`/digital-products/${product.id}`)).data);
    expect(page.title).toBe('Neon Rally · Toko');
    expect(page.canonical).toBe(url);
    expect(page.meta('description')).toMatch(/^A race through the night\. .{100,135}…$/);
    expect(page.meta('og:type')).toBe('product');
    expect(page.meta('product:price:amount')).toBe('15.00');
    expect(page.jsonLd()).toMatchObject({
      '@type': 'Product',
      name: 'Neon Rally',
      image: [`${ORIGIN}/covers/test.svg`],
      offers: {
        '@type': 'Offer',
        url,
        price: '15.00',
        priceCurrency: 'USD',
        priceValidUntil: '2099-01-01T00:00:00.000Z',
        availability: 'https://schema.org/InStock',
      },
    });
  });

  it('marks a sold-out product as out of stock', async () => {
    const { id } = await makeProduct(shop.deps, { items: 0 });
    const { jsonLd, meta } = await open(`/digital-product/${id}`);
    expect(jsonLd().offers).toMatchObject({ availability: 'https://schema.org/OutOfStock' });
    expect(meta('product:availability')).toBe('out of stock');
  });

  it('is shared with its picture if that is a photograph', async () => {
    const { id } = await makeProduct(shop.deps, { image: 'https://img.example/a.jpg' });
    expect((await open(`/digital-product/${id}`)).meta('og:image')).toBe('https://img.example/a.jpg');
  });

  it('of a physical product has brand, rating and all pictures in its structured data', async () => {
    const id = await makePhysicalProduct(shop.deps, {
      more_images: ['https://img.example/side.jpg'],
      rating_tenths: 47,
      review_count: 132,
      weight_grams: 80,
      width_mm: 60,
    });
    const page = await open(`/product/${id}`);
    expect(page.status).toBe(200);
    expect(page.canonical).toBe(`${ORIGIN}/product/${id}`);
    expect(page.data().product).toEqual((await answerOf(`/products/${id}`)).data);
    expect(page.meta('og:image')).toBe('https://img.example/side.jpg');
    expect(page.jsonLd()).toMatchObject({
      '@type': 'Product',
      image: [`${ORIGIN}/favicon.svg`, 'https://img.example/side.jpg'],
      brand: { '@type': 'Brand', name: 'Kayu' },
      weight: { value: 80, unitCode: 'GRM' },
      width: { value: 60, unitCode: 'MMT' },
      aggregateRating: { ratingValue: 4.7, reviewCount: 132 },
      offers: { url: `${ORIGIN}/product/${id}`, availability: 'https://schema.org/InStock' },
    });
  });

  it('has the rating and the newest reviews in its structured data, with markup escaped', async () => {
    const { id, ...product } = await makeProduct(shop.deps);
    const { browser, user } = await signedInUser(shop, { name: `${NASTY} Yusof` });
    await browser.buy([{ product: { id, ...product }, quantity: 1 }]);
    await browser.send('PUT', `/api/my-reviews/${id}`, { stars: 4, title: NASTY, text: NASTY });
    expect(Object.keys((await open(`/digital-product/${id}`)).jsonLd())).not.toContain('review');
    const admin = await signedIn(shop, { role: 'admin' });
    const listed = await admin.get(`/api/admin/reviews?q=${encodeURIComponent(user.email)}`);
    await admin.post(`/api/admin/reviews/${String(listed.body.data?.[0]?.['_id'])}/publish`, { version: 1 });
    shop.pass(1_001);
    const page = await open(`/digital-product/${id}`);
    expect(page.html).not.toContain('<img src=x');
    expect(page.jsonLd()).toMatchObject({
      aggregateRating: { '@type': 'AggregateRating', ratingValue: 4, reviewCount: 1 },
      review: [
        {
          '@type': 'Review',
          author: { '@type': 'Person', name: expect.stringMatching(/ Y\.$/) },
          ...{ name: NASTY, reviewBody: NASTY },
          reviewRating: { '@type': 'Rating', ratingValue: 4, bestRating: 5 },
        },
      ],
    });
    expect(page.data().reviews).toEqual(await answerOf(`/reviews?product=${id}`));
  });

  it('exists only at the URL of its kind', async () => {
    const id = await makePhysicalProduct(shop.deps, { brand: '' });
    expect((await open(`/digital-product/${id}`)).status).toBe(404);
    const { jsonLd } = await open(`/product/${id}`);
    expect(Object.keys(jsonLd())).not.toContain('brand');
    expect(Object.keys(jsonLd())).not.toContain('aggregateRating');
    expect((await open(`/product/${(await makeProduct(shop.deps)).id}`)).status).toBe(404);
  });

  it('escapes markup in the name and the description', async () => {
    const { id } = await makeProduct(shop.deps, { name: NASTY, description: NASTY, image: `/x.svg"${NASTY}` });
    const page = await open(`/digital-product/${id}`);
    expect(page.html).not.toContain('<img src=x');
    expect(page.title).toBe('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Co&quot; · Toko');
    expect(page.jsonLd()).toMatchObject({ name: NASTY, description: NASTY });
    expect(page.data().product).toMatchObject({ name: NASTY });
  });

  it.each(['00000000-0000-4000-8000-000000000000', 'not-an-id', '%00'])(
    'answers 404 without a product: %s',
    async (id) => {
      const page = await open(`/digital-product/${id}`);
      expect(page.status).toBe(404);
      expect(page.title).toBe('Product not found · Toko');
      expect(page.meta('robots')).toBe('noindex');
      expect(Object.keys(page.data())).toEqual(['shop']);
    },
  );

  it('answers 404 for an inactive product', async () => {
    const { id } = await makeProduct(shop.deps, { is_active: false });
    expect((await open(`/digital-product/${id}`)).status).toBe(404);
  });
});

describe('any other URL', () => {
  it.each([
    ['/login', 200, 'Sign In · Toko'],
    ['/checkout', 200, 'Checkout · Toko'],
    ['/order-items/00000000-0000-4000-8000-000000000000', 200, 'My Orders · Toko'],
    ['/constructor', 404, 'Page not found · Toko'],
    ['/nowhere/at/all', 404, 'Page not found · Toko'],
  ])('%s answers with a page that is not indexed', async (path, status, title) => {
    const page = await open(path);
    expect(page).toMatchObject({ status, title, canonical: undefined });
    expect(page.meta('robots')).toBe('noindex');
  });

  it('with a secret is not repeated in the page', async () => {
    expect((await open('/claim?token=canary-5312')).html).not.toContain('canary');
  });

  it.each(['/assets/missing.js', '/index.html', '/.vite/manifest.json', '/api/nowhere', '/.env'])(
    '%s answers 404 without a page',
    async (path) => {
      const { status, headers } = await open(path);
      expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );

  it.each(['/index.html', '/shop.php?id=1', '/.env', '/metrics'])(
    '%s answers 404 with a page for a browser',
    async (path) => {
      const page = await open(path, { accept: 'text/html,*/*;q=0.8' });
      expect(page).toMatchObject({ status: 404, title: 'Page not found · Toko' });
    },
  );
});

describe('a response', () => {
  it('with a page is compressed', async () => {
    const { headers } = await open('/', { 'accept-encoding': 'gzip, br' });
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('with a script or a style is encoded for a client that accepts %s', async (accepted, encoding) => {
    const { html } = await open('/login');
    const [script = '', style = ''] = html.match(/\/assets\/index-[\w-]+\.(?:js|css)/g) ?? [];
    for (const path of [script, style]) {
      const { headers, html: content } = await open(path, { 'accept-encoding': accepted });
      expect([path, headers.get('content-encoding')]).toEqual([path, encoding]);
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('cache-control')).toContain('immutable');
      expect(content.length).toBeGreaterThan(10_000);
    }
  });
});

describe('for search engines', () => {
  it('the sitemap lists home, the information pages and every product on sale', async () => {
    const shown = await makeProduct(shop.deps);
    const hidden = await makeProduct(shop.deps, { is_active: false });
    const mouse = await makePhysicalProduct(shop.deps);
    const { html, headers } = await open('/sitemap.xml');
    const urls = [...html.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => match[1]);
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(urls[0]).toBe(`${ORIGIN}/`);
    expect(urls).toContain(`${ORIGIN}/info/refunds`);
    expect(urls).toContain(`${ORIGIN}/digital-product/${shown.id}`);
    expect(urls).toContain(`${ORIGIN}/?kind=physical`);
    expect(urls).toContain(`${ORIGIN}/product/${mouse}`);
    expect(urls).not.toContain(`${ORIGIN}/digital-product/${hidden.id}`);
  });

  it('the sitemap is sent compressed, and not to a crawler that has the current one', async () => {
    const { headers } = await open('/sitemap.xml');
    expect(headers.get('content-encoding')).toBe('gzip');
    const { status } = await open('/sitemap.xml', { 'if-none-match': headers.get('etag') ?? '' });
    expect(status).toBe(304);
  });

  it('robots.txt disallows personal pages and names the sitemap', async () => {
    const { html, headers } = await open('/robots.txt');
    const lines = html.split('\n');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    for (const path of ['/api/', '/admin', '/checkout', '/orders']) expect(lines).toContain(`Disallow: ${path}`);
    expect(lines).not.toContain('Disallow: /');
    expect(lines).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`);
  });
});
