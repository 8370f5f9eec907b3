import { registerHooks } from 'node:module';
import { describe, expect, it, test } from 'vitest';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { infoLinks } from '../../../shared/pages.ts';
import { createInfoPages, renderMarkdown } from './content.routes.ts';

const shop = await openTestShop({
  settings: {
    STORE_NAME: 'Toko *Satu*',
    CONTACT_ADDRESS: '1 Jalan <Baru>, Kuala Lumpur',
    CONTACT_PHONE: '+60 3 (5550) 0199',
    CONTACT_EMAIL: 'help_desk@toko.example',
  },
});

const read = (slug: string) => createShopper(shop.url).get(`/api/info-pages/${slug}`);
const htmlOf = async (slug: string) => String((await read(slug)).body.data?.['html']);

test.each(infoLinks.map(({ slug }) => slug))(
  '%s is a page with a title, a description and no unfilled placeholder',
  async (slug) => {
    const { status, body } = await read(slug);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ slug, title: expect.stringMatching(/^\w/) });
    expect(String(body.data?.['description']).length).toBeGreaterThan(20);
    expect(JSON.stringify(body.data)).not.toMatch(/\{\w+\}/);
  },
);

test('the footer links to every information page', async () => {
  expect(infoLinks.map(({ slug }) => slug).sort()).toEqual(await createInfoPages(shop.deps.config).listSlugs());
});

test('every internal link of the information pages has a target', async () => {
  const pages = await Promise.all(infoLinks.map(({ slug }) => htmlOf(slug)));
  const inside = pages.flatMap((html) => [...html.matchAll(/href="(\/[^"]*)"/g)].map((match) => match[1]));
  const screens = ['/', '/orders', '/profile', '/register', '/find-order', '/forgot-password'];
  const known = new Set([...screens, ...infoLinks.map(({ slug }) => `/info/${slug}`)]);
  expect(inside.length).toBeGreaterThan(5);
  expect(inside.filter((path) => !known.has(path ?? ''))).toEqual([]);
});

test('the information pages show the shop and its contact details exactly as configured', async () => {
  expect((await read('about')).body.data).toMatchObject({ title: 'About Toko *Satu*' });
  const html = await htmlOf('contact');
  expect(html).toContain('<a href="mailto:help_desk@toko.example">help_desk@toko.example</a>');
  expect(html).toContain('<a href="tel:+60355500199">+60 3 (5550) 0199</a>');
  expect(html).toContain('1 Jalan &lt;Baru&gt;, Kuala Lumpur');
});

test.each(['nothing-here', '..%2Fpackage', 'About', 'about.md'])('there is no information page %s', async (slug) => {
  expect([400, 404]).toContain((await read(slug)).status);
});

test('the URL of an information page carries its content, and an unknown one gets the common 404', async () => {
  const known = await (await fetch(`${shop.url}/info/about`)).text();
  expect(known).toContain('<title>About Toko *Satu* · Toko *Satu*</title>');
  expect(known).toContain('"infoPage":{"slug":"about"');
  const unknown = await fetch(`${shop.url}/info/nothing-here`);
  expect([unknown.status, (await unknown.text()).includes('infoPage')]).toEqual([404, false]);
});

describe('Markdown', () => {
  it('treats HTML as text', async () => {
    const { html } = await renderMarkdown('# T\n\n<img src=x onerror=alert(1)>\n\na <b>c</b>', {});
    expect(html).toBe('<p>&lt;img src=x onerror=alert(1)&gt;</p>\n<p>a &lt;b&gt;c&lt;/b&gt;</p>\n');
  });

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'vbscript:x', 'data:text/html,x', 'file:///etc/passwd'])(
    'makes no link to %s',
    async (address) => {
      expect((await renderMarkdown(`[press](${address})`, {})).html).not.toContain('<a');
    },
  );

  it('yields a title and a description', async () => {
    const source = '# Of *us*\n\nFirst **words**\nand [more](/info/faq).\n\n## Next\n\nSecond.';
    expect(await renderMarkdown(source, {})).toMatchObject({ title: 'Of us', description: 'First words and more.' });
  });

  it('leaves unknown placeholders unchanged', async () => {
    expect((await renderMarkdown('{who} {toString}', { who: 'We' })).html).toBe('<p>We {toString}</p>\n');
  });
});

test('an information page works again after its packages were missing, as during an upgrade', async () => {
  // A copy of the module that has loaded nothing yet.
  const fresh: typeof import('./content.routes.ts') = await import(
    new URL('./content.routes.ts?fresh', import.meta.url).href
  );
  const pages = fresh.createInfoPages(shop.deps.config);
  const missing = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'markdown-it') throw new Error('Cannot find package');
      return next(specifier, context);
    },
  });
  await expect(pages.find('about')).rejects.toThrow('Cannot find package');
  missing.deregister();
  expect(await pages.find('about')).toMatchObject({ slug: 'about' });
});
