import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { sendError } from './errors.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let app: FastifyInstance;
beforeAll(async () => {
  app = Fastify();
  app.setErrorHandler(sendError);
  const refuse = async () => {
    throw new AppError('RATE_LIMITED', 'Please wait a moment before trying again', undefined, {
      retryAfterSeconds: 40,
    });
  };
  for (const path of ['/digital-product/:id', '/api/digital-products', '/*']) app.get(path, refuse);
  app.post('/digital-product/:id', refuse);
  app.get('/busy', async () => {
    throw new DatabaseUnavailable(new Error('no connection'));
  });
  app.get('/missing', async () => {
    throw new AppError('NOT_FOUND', 'There is nothing at this address');
  });
  app.get('/broken', async () => {
    throw new Error('a detail of ours');
  });
  await app.ready();
});
afterAll(() => app.close());

it.each([
  ['/digital-product/1?q="><script>', 429, '40', 'Please wait a moment', 'You can try again in 40 seconds.'],
  ['/busy', 503, '2', 'The shop is busy', 'You can try again in 2 seconds.'],
  ['/broken', 500, undefined, 'Something went wrong', 'Please try again.'],
])(
  'a browser that opens %s gets an HTML page with the same status and wait',
  async (url, status, wait, title, words) => {
    const answer = await app.inject({ url, headers: BROWSER });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(answer.headers['retry-after']).toBe(wait);
    expect(answer.body).toContain(`<h1>${title}</h1>`);
    expect(answer.body).toContain(words);
    expect(answer.body).not.toMatch(/a detail of ours|<script|style=/);
  },
);

it.each(['//foreign.example/x.js', '///foreign.example/', '/digital-product/1?page=2'])(
  'the error page of %s links only to itself',
  async (path) => {
    const { body } = await app.inject({ url: path, headers: BROWSER });
    const page = `https://shop.example${path}`;
    const links = [...body.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, page).href);
    expect(links).toEqual([new URL(page).href]);
  },
);

it('the error page of a permanent failure links to the shop', async () => {
  const { statusCode, body } = await app.inject({ url: '/missing', headers: BROWSER });
  expect(statusCode).toBe(404);
  expect([...body.matchAll(/<a .*?<\/a>/g)].map(([link]) => link)).toEqual(['<a href="/">Back to the shop</a>']);
});

it.each([
  ['a call, whatever it accepts', { url: '/api/digital-products', headers: BROWSER }],
  ['a program that asks for a page', { url: '/digital-product/1', headers: { accept: '*/*' } }],
  ['a form that is sent to a page', { method: 'POST' as const, url: '/digital-product/1', headers: BROWSER }],
])('%s gets JSON', async (_, request) => {
  const answer = await app.inject(request);
  expect(answer.statusCode).toBe(429);
  expect(answer.headers['retry-after']).toBe('40');
  expect(answer.json()).toMatchObject({ success: false, code: 'RATE_LIMITED' });
});
