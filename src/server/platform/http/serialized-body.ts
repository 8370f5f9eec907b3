import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

const JSON_TYPE = 'application/json; charset=utf-8';

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

export function sendSerialized(body: SerializedBody, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('etag', body.etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding');
  if (isCurrent(request, body.etag)) return reply.status(304).send();
  reply.header('content-type', body.contentType);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(body.identity);
  return reply.header('content-encoding', 'gzip').send(body.gzipped);
}
