import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { unlessBroken } from '../../platform/crypto/item-cipher.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { ProductFileRow } from '../../platform/database/tables.ts';
import { readTokenCookie, wideNetworkOf } from '../../platform/http/client.ts';
import { createFairLimiter } from '../../platform/limiter.ts';
import { raiseAlert } from '../admin/alerts.queries.ts';
import { CHUNK_BYTES, findGrantedChunks, findGrantedFile, type GrantKey } from './files.queries.ts';
import { CHUNKS_AT_ONCE, decryptChunks } from './upload-file.ts';

export interface DownloadGrant {
  id: string;
  /** For the cookie of the requesting browser; only its hash is stored. */
  token: string;
  expiresAt: Date;
  /** Null without a limit. */
  downloadsLeft: number | null;
}

const COOKIE = 'download';

/**
 * Sets the cookie of a grant and returns its URL. The URL alone opens nothing: the token is in the cookie, which the
 * browser sends to this URL only. So the token is in no log and no history, and a link that was passed on is useless.
 */
export function setGrantCookie({ clock }: Deps, reply: FastifyReply, grant: DownloadGrant) {
  const maxAge = Math.ceil((grant.expiresAt.getTime() - clock.now().getTime()) / 1_000);
  const url = `/downloads/${grant.id}`;
  reply.setCookie(COOKIE, grant.token, { path: url, maxAge });
  return { url, expiresAt: grant.expiresAt.toISOString(), downloadsLeft: grant.downloadsLeft };
}

/** GET and HEAD /downloads/{grant}: the file, or the part that a Range header asks for. */
export function downloadFiles(app: FastifyInstance, deps: Deps): void {
  app.route<{ Params: { grant: string } }>({
    method: ['GET', 'HEAD'],
    url: '/downloads/:grant',
    handler: async (request, reply) => {
      await deps.limits.countRequest('download', { address: request.ip });
      const key = { ...grantKey(request.params.grant, request), now: deps.clock.now() };
      const file = await findGrantedFile(deps.db, key);
      if (!file) throw grantEnded();
      const { media_type: mediaType, name, bytes } = file;
      const etag = `"${file.sha256?.toString('hex')}"`;
      reply.headers({
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
        'content-disposition': contentDisposition(name),
        'content-type': mediaType,
        etag,
        // Without this header, nginx would buffer the file unencrypted on disk, and send it even after the grant's end.
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      });
      const { range: wanted, 'if-range': ifRange } = request.headers;
      const isSame = ifRange === undefined || ifRange === etag;
      const range = request.method === 'GET' && isSame ? byteRangeOf(wanted, bytes) : undefined;
      if (range === 'unsatisfiable') {
        return reply.status(416).header('content-range', `bytes */${bytes}`).header('content-length', 0).send();
      }
      const { first, last } = range ?? { first: 0, last: bytes - 1 };
      if (range) reply.status(206).header('content-range', `bytes ${first}-${last}/${bytes}`);
      reply.header('content-length', last - first + 1);
      if (request.method === 'HEAD') return reply.send();
      const content = clearBytes(deps, { file, key, first, last, network: wideNetworkOf(request.ip) });
      // Read before the headers are sent, so that an altered or missing file results in an error response.
      const beginning = await content.next();
      return reply.send(Readable.from(joined(beginning, content), { objectMode: false, highWaterMark: 1 }));
    },
  });
}

function grantKey(id: string, request: FastifyRequest): Pick<GrantKey, 'id' | 'tokenHash'> {
  const token = readTokenCookie(request, COOKIE);
  if (token === undefined || !z.uuid().safeParse(id).success) throw grantEnded();
  return { id, tokenHash: hashToken(token) };
}

const grantEnded = () =>
  new AppError(
    'NOT_FOUND',
    'This download has ended, or was started in another browser. Open your order and press Download.',
  );

// Shared by all downloads of the process, so that they leave connections to the checkout (npm run bench:downloads).
// Each network (IPv6: /48) waits in one place, so that many downloads of one buyer do not slow down those of others.
const limited = createFairLimiter({ inAll: 1, ofKey: 1 }, 1_000);

/**
 * Yields decrypted bytes, a few chunks at a time. Each read is a statement of its own: a slow client holds no
 * connection and no transaction, and a refund or logout ends a running download. No byte is sent before its chunk was
 * authenticated.
 */
async function* clearBytes(
  deps: Deps,
  { file, key, first, last, network }: { file: ProductFileRow; key: GrantKey; network: string } & ByteRange,
): AsyncGenerator<Buffer> {
  const lastNumber = Math.floor(last / CHUNK_BYTES);
  for (let from = Math.floor(first / CHUNK_BYTES); from <= lastNumber; from += CHUNKS_AT_ONCE) {
    const to = Math.min(lastNumber, from + CHUNKS_AT_ONCE - 1);
    const clear = await limited(network, () => openChunks(deps, { file, key, from, to }));
    const begin = from * CHUNK_BYTES;
    yield clear.subarray(Math.max(0, first - begin), last + 1 - begin);
  }
}

async function openChunks(
  deps: Deps,
  { file, key, from, to }: { file: ProductFileRow; key: GrantKey; from: number; to: number },
): Promise<Buffer> {
  const rows = await findGrantedChunks(deps.db, { ...key, now: deps.clock.now() }, from, to);
  if (!rows) throw grantEnded();
  const clear = await decryptChunks(deps, file, { rows, from, to }).catch(unlessBroken);
  if (!clear) throw await reportDamage(deps, file);
  return clear;
}

async function reportDamage(deps: Deps, file: ProductFileRow): Promise<AppError> {
  await raiseAlert(deps, { kind: 'unreadable-file', subject: file.id, message: 'a file in the database was altered' });
  return new AppError('INTERNAL', 'This file cannot be read. The shop has been told.');
}

async function* joined(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first.value;
  yield* rest;
}

/** The first and the last byte of a part of a file, both included. */
interface ByteRange {
  first: number;
  last: number;
}

/**
 * Returns the part that a Range header asks for (RFC 9110, section 14). Undefined means the whole file: no header,
 * several parts at once, or an invalid range. `unsatisfiable` when the file ends before the range.
 */
function byteRangeOf(header: string | undefined, length: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return to.match(/^0+$/) ? 'unsatisfiable' : { first: Math.max(0, length - Number(to)), last: length - 1 };
  const first = Number(from);
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first < length ? { first, last } : 'unsatisfiable';
}
