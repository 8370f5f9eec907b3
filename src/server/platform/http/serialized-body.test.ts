import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { sendSerialized, serializeBody } from './response-cache.ts';

const body = await serializeBody('{}', 'application/json');
const app = Fastify();
app.get('/', (request, reply) => sendSerialized(body, request, reply));

it.each([
  ['its entity tag', body.etag, 304],
  ['its entity tag as a cache has weakened it', `W/${body.etag}`, 304],
  ['a list with its entity tag', `"other", W/${body.etag}`, 304],
  ['another entity tag', '"other"', 200],
  ['another weak entity tag', 'W/"other"', 200],
  ['no entity tag', undefined, 200],
])('a conditional request gets 304 only with the current entity tag: %s', async (_what, tags, status) => {
  const { statusCode } = await app.inject({ url: '/', headers: tags === undefined ? {} : { 'if-none-match': tags } });
  expect(statusCode).toBe(status);
});

it.each([
  ['gzip, br', 'gzip'],
  ['gzip;q=0.5', 'gzip'],
  ['gzip; q=0', undefined],
  ['gzip;q=0.000, br', undefined],
  ['identity', undefined],
])('a client that accepts %s gets the encoding %s', async (accepted, encoding) => {
  const { headers } = await app.inject({ url: '/', headers: { 'accept-encoding': accepted } });
  expect(headers['content-encoding']).toBe(encoding);
});

it('the compressed and the uncompressed response share an entity tag, which is weak', async () => {
  const compressed = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } });
  const uncompressed = await app.inject('/');
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect([compressed.headers['etag'], uncompressed.headers['etag']]).toEqual([`W/${body.etag}`, `W/${body.etag}`]);
});
