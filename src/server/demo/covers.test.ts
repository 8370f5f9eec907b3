import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendError } from '../platform/http/errors.ts';
import { coversRoutes } from './covers.routes.ts';
import { demoFolder, readDemoData } from './demo-data.ts';
import { coverPath } from './demo-product-rows.ts';

const { digitalProducts, physicalProducts } = readDemoData();
const products = [...digitalProducts, ...physicalProducts];
const coverOf = ({ slug }: { slug: string }) => readFileSync(new URL(`covers/${slug}.svg`, demoFolder), 'utf8');

const TOKEN =
  /<(?<close>\/?)(?<name>[A-Za-z]+)(?<attributes>(?:\s+[A-Za-z][\w-]*="[^"<&]*(?:&[a-z]+;[^"<&]*)*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gy;

/** Returns why a document is not well-formed XML, as far as these covers use XML; undefined when it is. */
function faultIn(document: string): string | undefined {
  const open: string[] = [];
  let end = 0;
  for (const match of document.matchAll(TOKEN)) {
    if (match.index !== end) break;
    end += match[0].length;
    const { close, name = '', attributes = '', empty, text } = match.groups ?? {};
    if (text !== undefined) {
      if (open.length === 0 || /&(?!amp;|lt;|gt;|quot;)/.test(text)) return `text: ${text}`;
      continue;
    }
    const names = [...attributes.matchAll(/([A-Za-z][\w-]*)="/g)].map(([, attribute]) => attribute);
    if (new Set(names).size < names.length) return `an attribute twice: ${match[0]}`;
    if (close && open.pop() !== name) return `closed out of turn: ${match[0]}`;
    if (!close && !empty) open.push(name);
    if (open.length === 0 && end < document.length) return 'more than one root';
  }
  if (end < document.length) return `unreadable: ${document.slice(end, end + 60)}`;
  return open.length > 0 ? `never closed: ${open.join(' ')}` : undefined;
}

describe('the XML check of these tests', () => {
  it.each([
    ['<svg><g></svg>', 'closed out of turn'],
    ['<svg><g/>', 'never closed'],
    ['<svg a="1" a="2"/>', 'an attribute twice'],
    ['<svg a=1/>', 'unreadable'],
    ['<svg>A & B</svg>', 'text'],
    ['<svg/><svg/>', 'more than one root'],
  ])('refuses %s', (document, fault) => {
    expect(faultIn(document)).toMatch(fault);
  });
});

describe('covers', () => {
  it.each(products.map((product) => [product.slug, product] as const))('%s is well-formed and finite', (_, product) => {
    const cover = coverOf(product);
    expect(faultIn(cover)).toBeUndefined();
    expect(cover).not.toMatch(/NaN|undefined|Infinity|\[object/);
    expect(cover.length).toBeLessThan(40_000);
  });

  it('reference only their own gradients and clips', () => {
    for (const product of products) {
      const cover = coverOf(product);
      const ids = [...cover.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      const used = [...cover.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => id);
      expect([product.slug, new Set(ids).size]).toEqual([product.slug, ids.length]);
      expect([product.slug, used.filter((id) => !ids.includes(id))]).toEqual([product.slug, []]);
    }
  });

  it('set the length of each text line, so that the font cannot widen it', () => {
    for (const product of products) {
      const [...lines] = coverOf(product).matchAll(/<text[^>]*>/g);
      expect([product.slug, lines.filter(([line]) => !line.includes(' textLength="'))]).toEqual([product.slug, []]);
    }
  });

  it('exist once per product, and all differ', () => {
    const names = products.map(({ slug }) => `${slug}.svg`);
    expect(readdirSync(new URL('covers/', demoFolder)).sort()).toEqual(names.sort());
    expect(new Set(products.map(coverOf)).size).toBe(products.length);
  });

  it('contain no script, style or external link, and name their product', () => {
    for (const product of products) {
      const cover = coverOf(product);
      expect(cover).not.toMatch(/<(script|style|foreignObject|image|use|a)\b|\son\w+=|href=/i);
      const name = product.name.replaceAll('&', '&amp;');
      expect([product.slug, cover.includes(`aria-label="${name}"`)]).toEqual([product.slug, true]);
    }
  });
});

describe('GET /demo/covers/{slug}.svg', () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    app = Fastify();
    app.setErrorHandler(sendError);
    await app.register(coversRoutes);
  });
  afterAll(() => app.close());

  it('serves the cover of every demo product as immutable', async () => {
    for (const { slug } of products) {
      const answer = await app.inject(coverPath(slug));
      expect([slug, answer.statusCode]).toEqual([slug, 200]);
      expect(answer.body).toBe(coverOf({ slug }));
      expect(answer.headers['content-type']).toMatch(/^image\/svg\+xml/);
      expect(answer.headers['cache-control']).toContain('immutable');
    }
  });

  it('compresses for clients that accept gzip', async () => {
    const path = coverPath('ember-reach');
    const plain = await app.inject(path);
    const packed = await app.inject({ url: path, headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
  });

  it.each([
    'no-such-product.svg',
    'ember-reach.png',
    'ember-reach',
    'Ember-Reach.svg',
    '__proto__.svg',
    '..%2Fember-reach.svg',
    '%3Cscript%3E.svg',
    'ember-reach.svg%00',
  ])('answers 404 to %s and does not echo the path', async (file) => {
    const answer = await app.inject(`/demo/covers/${file}`);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toContain('script');
    expect(answer.body).not.toContain(decodeURIComponent(file));
  });
});
