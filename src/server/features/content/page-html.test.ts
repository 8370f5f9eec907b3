import { describe, expect, it } from 'vitest';
import type { PageData } from '../../../shared/pages.ts';
import type { PageHead } from './page-heads.ts';
import { createPageTemplate } from './shop-pages.ts';

const INDEX = `<!doctype html><html><head><meta charset="utf-8"><meta name="description" content="old">
<title>Old</title><script type="module" src="/a.js"></script></head>
<body><b>Kedai</b><div id="root"></div></body></html>`;

const nasty = `</title></script><script>alert(1)</script>" onload='x' & $& $1 <!--`;

const head = (given: Partial<PageHead> = {}): PageHead => ({
  title: 'A title',
  description: 'A description',
  storeName: 'Kedai',
  canonicalUrl: 'https://shop.example/',
  type: 'website',
  image: { url: 'https://shop.example/share.png', alt: 'A picture' },
  properties: {},
  jsonLd: undefined,
  preloads: [],
  ...given,
});

const data: PageData = {
  shop: {
    storeName: 'Kedai',
    contact: { address: '', phone: '', email: '' },
    payments: { provider: 'test-mode', publishableKey: 'pk_test_1' },
    demoAccounts: [],
    publicDemo: false,
    mailbox: null,
  },
};

const fill = createPageTemplate(INDEX, 'Kedai');

describe('a page', () => {
  it('has only its own title and description', () => {
    const html = fill(head(), data);
    expect(html.match(/<title>.*?<\/title>/g)).toEqual(['<title>A title</title>']);
    expect(html.match(/<meta name="description".*?>/g)).toEqual(['<meta name="description" content="A description">']);
  });

  it('keeps the rest of the built page', () => {
    const html = fill(head(), data);
    expect(html).toContain('<script type="module" src="/a.js"></script>');
    expect(html).toContain('<div id="root"></div>');
    expect(html.endsWith('</body></html>')).toBe(true);
  });

  it('is indexed under its canonical URL, and not indexed without one', () => {
    expect(fill(head(), data)).toContain('<link rel="canonical" href="https://shop.example/">');
    expect(fill(head(), data)).not.toContain('noindex');
    const unnamed = fill(head({ canonicalUrl: undefined }), data);
    expect(unnamed).toContain('<meta name="robots" content="noindex">');
    expect(unnamed).not.toMatch(/canonical|og:/);
  });

  it('has Open Graph and Twitter tags for sharing', () => {
    const html = fill(head({ type: 'product', properties: { 'product:price:amount': '9.99' } }), data);
    for (const [name, content] of [
      ['og:type', 'product'],
      ['og:title', 'A title'],
      ['og:url', 'https://shop.example/'],
      ['og:image', 'https://shop.example/share.png'],
      ['product:price:amount', '9.99'],
    ]) {
      expect(html).toContain(`<meta property="${name}" content="${content}">`);
    }
    expect(html).toContain('<meta name="twitter:card" content="summary_large_image">');
  });

  it('preloads what its screen needs', () => {
    const html = fill(
      head({
        preloads: [
          { as: 'script', url: '/assets/b.js' },
          { as: 'image', url: '/c.svg?a&b' },
        ],
      }),
      data,
    );
    expect(html).toContain('<link rel="modulepreload" crossorigin href="/assets/b.js">');
    expect(html).toContain('<link rel="preload" as="image" href="/c.svg?a&amp;b">');
  });
});

describe('a name with markup', () => {
  const html = createPageTemplate(INDEX, nasty)(
    head({
      title: nasty,
      description: nasty,
      storeName: nasty,
      canonicalUrl: `https://shop.example/${nasty}`,
      image: { url: nasty, alt: nasty },
      properties: { 'product:price:amount': nasty },
      jsonLd: { name: nasty },
      preloads: [{ as: 'image', url: nasty }],
    }),
    { shop: { ...data.shop, storeName: nasty } },
  );

  it('adds no element', () => {
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html.match(/<\/script>/g)).toHaveLength(3);
    expect(html.match(/<\/title>/g)).toHaveLength(1);
    expect(html).not.toContain('<!--');
    expect(html.replace(/<script[^>]*>.*?<\/script>/gs, '')).not.toContain('" onload');
  });

  it('is unchanged in the data of the page', () => {
    const json = [...html.matchAll(/<script type="application\/(?:ld\+)?json"[^>]*>(?<json>.*?)<\/script>/gs)];
    const [linked, carried] = json.map((match) => JSON.parse(match.groups?.['json'] ?? ''));
    expect(linked).toEqual({ name: nasty });
    expect(carried.shop.storeName).toBe(nasty);
  });
});

it.each(['<title>Old</title>', '<meta name="description" content="old">', '<b>Kedai</b>', '</head>', '</body>'])(
  'a build without %s is refused',
  (part) => expect(() => createPageTemplate(INDEX.replace(part, ''), 'Kedai')).toThrow('index.html'),
);
