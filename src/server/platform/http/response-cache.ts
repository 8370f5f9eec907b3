import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../database/database-clock.ts';

// Stock, sale prices and reviews may be this old on the screen. What is held and charged is decided by the database.
const FRESH_FOR_MS = 1_000;
const MAX_RESPONSES = 500;
// A list can have megabytes, and every combination of category, sort, search and page is another list. Buffers are
// outside of the heap, so the heap limit does not bound them.
const MAX_BYTES = 32 * 2 ** 20;

/** Caches responses that are the same for everybody for a second. Simultaneous requests share one query. */
export function createResponseCache<Made extends object = object>(
  clock: Clock,
  serialize: (made: Made) => Promise<SerializedBody> = serializeResponse,
) {
  const cached = createBodyCache<number>(MAX_RESPONSES);

  return (key: string, make: () => Promise<Made>): Promise<SerializedBody> => {
    const now = clock.now().getTime();
    const isFresh = (madeAt: number) => Math.abs(now - madeAt) < FRESH_FOR_MS;
    return cached({ key, madeOf: now, isFresh }, () => make().then(serialize));
  };
}

/**
 * Caches up to `max` bodies with 32 MiB in total. A body is reused while `isFresh` is true for the data that it was
 * made of. Callers that wait for a body get it even if it is not cached.
 */
export function createBodyCache<MadeOf>(max: number) {
  const bodies = new LRUCache<string, { madeOf: MadeOf; body: Promise<SerializedBody> }>({ max, maxSize: MAX_BYTES });

  return (
    { key, madeOf, isFresh }: { key: string; madeOf: MadeOf; isFresh: (earlier: MadeOf) => boolean },
    make: () => Promise<SerializedBody>,
  ): Promise<SerializedBody> => {
    const known = bodies.get(key);
    if (known && isFresh(known.madeOf)) return known.body;
    const pending = { madeOf, body: make() };
    bodies.set(key, pending, { size: 1 });
    const isKept = () => bodies.peek(key) === pending;
    pending.body.then(
      // A new object: lru-cache ignores the size when the value is identical.
      ({ identity, gzipped }) =>
        isKept() && bodies.set(key, { ...pending }, { size: identity.length + gzipped.length }),
      () => isKept() && bodies.delete(key),
    );
    return pending.body;
  };
}

const compress = promisify(gzip);

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A response that is made once and sent many times: its bytes, its compressed bytes, and its entity tag. */
export type SerializedBody = { identity: Buffer; gzipped: Buffer; etag: string; contentType: string };

export const isSerialized = (response: object): response is SerializedBody => 'gzipped' in response;

export const serializeResponse = (response: object): Promise<SerializedBody> =>
  serializeBody(JSON.stringify({ success: true, ...response }), JSON_TYPE);

export async function serializeBody(text: string, contentType: string): Promise<SerializedBody> {
  const identity = Buffer.from(text);
  const digest = createHash('sha256').update(identity).digest('base64url');
  return { identity, gzipped: await compress(identity), etag: `"${digest.slice(0, 22)}"`, contentType };
}

/** Whether the client already has the response with this entity tag, which a cache may have made weak (RFC 9110). */
export const isCurrent = ({ headers }: FastifyRequest, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/** Whether the client accepts gzip. The weight 0 means that it does not (RFC 9110). */
const acceptsGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(headers['accept-encoding'] ?? '');

export function sendSerialized(
  body: SerializedBody,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl = 'no-cache',
): FastifyReply {
  // Weak, because the compressed bytes have the same tag (RFC 9110, 8.8.3.3).
  reply.header('etag', `W/${body.etag}`).header('cache-control', cacheControl).header('vary', 'accept-encoding');
  if (isCurrent(request, body.etag)) return reply.status(304).send();
  reply.header('content-type', body.contentType);
  if (!acceptsGzip(request)) return reply.send(body.identity);
  return reply.header('content-encoding', 'gzip').send(body.gzipped);
}
