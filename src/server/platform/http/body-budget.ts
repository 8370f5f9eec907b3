import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import { networkOf } from './client.ts';

/** Limit of a body, unless its endpoint has another. */
export const BODY_LIMIT_BYTES = 256 * 1024;
/** Smaller bodies are not counted, so that a checkout works beside thousands of uploads that are never finished. */
const SMALL_BYTES = 32 * 1024;
// Parsed, a body takes several times its size. A file of items is 10 MiB.
const MAX_BYTES = 64 * 2 ** 20;
const MAX_BYTES_OF_NETWORK = 32 * 2 ** 20;

/**
 * Bounds the memory for bodies: a request whose body may not fit gets 503 BUSY before it is read. A body counts with
 * its Content-Length, or its endpoint's limit, until the request is answered or its client has disconnected.
 */
export function limitBodies(app: FastifyInstance): void {
  const held = createByteCount<string>();

  app.addHook('onRequest', (request, reply, done) => {
    const bytes = bytesOf(request);
    if (bytes <= SMALL_BYTES) return done();
    const network = networkOf(request.ip);
    if (held.all() + bytes > MAX_BYTES || held.of(network) + bytes > MAX_BYTES_OF_NETWORK) {
      // The rest of the body is not awaited.
      reply.header('connection', 'close');
      return done(new AppError('BUSY', 'Too much is being uploaded at the moment. Please try again.'));
    }
    held.add(network, bytes);
    const { socket } = request.raw;
    let isHeld = true;
    const release = () => {
      socket.off('close', release);
      if (isHeld) held.add(network, -bytes);
      isHeld = false;
    };
    reply.raw.once('close', release);
    // Needed for pipelined requests: a response that waits for an earlier response does not see the connection close.
    socket.once('close', release);
    done();
  });
}

/** Counts bytes in total and by holder. A holder without bytes is forgotten. */
function createByteCount<Holder>() {
  const byHolder = new Map<Holder, number>();
  let all = 0;
  const of = (holder: Holder) => byHolder.get(holder) ?? 0;
  return {
    of,
    all: () => all,
    /** In the sequence in which they got their first byte. */
    holders: () => byHolder.keys(),
    add(holder: Holder, bytes: number): void {
      all += bytes;
      const sum = of(holder) + bytes;
      if (sum > 0) byHolder.set(holder, sum);
      else byHolder.delete(holder);
    },
  };
}

/** Returns the maximum size of a body: 0 for one that declares more than its limit, which is rejected unread. */
function bytesOf({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  const declared = Number(headers['content-length'] ?? 0);
  return declared <= bodyLimit ? declared : 0;
}

const MAX_UNREAD_BYTES = 64 * 2 ** 20;
/** Smaller responses are not counted: a connection has at most 16. */
const SMALL_RESPONSE_BYTES = 4 * 1024;
/** The buffers of a stream and of its response. */
const STREAM_BYTES = 128 * 1024;

/**
 * Bounds the memory for responses that are sent faster than their clients read: beyond 64 MiB, the connection that has
 * had unread bytes for the longest time is closed. A stream is read only as fast as it is sent, so it counts only while it
 * waits, with full buffers or for its last bytes, for its client or for an earlier response of its connection.
 */
export function limitResponses(app: FastifyInstance): void {
  const unread = createByteCount<Socket>();
  const watched = new WeakSet<Socket>();
  const forget = (socket: Socket) => unread.add(socket, -unread.of(socket));

  function hold(socket: Socket, bytes: number): void {
    if (!watched.has(socket)) socket.once('close', () => forget(socket));
    watched.add(socket);
    unread.add(socket, bytes);
    for (const slowest of unread.holders()) {
      if (unread.all() <= MAX_UNREAD_BYTES) break;
      forget(slowest);
      slowest.destroy();
    }
  }

  function release(socket: Socket, bytes: number): void {
    if (unread.of(socket) > 0) unread.add(socket, -bytes);
  }

  function holdUnread(stream: Readable, socket: Socket, response: FastifyReply['raw']): void {
    let held = 0;
    const change = (bytes: number) => {
      if (held > 0) release(socket, held);
      held = socket.destroyed ? 0 : bytes;
      if (held > 0) hold(socket, held);
    };
    // A stream is also paused after its end.
    stream.on('pause', () => response.writableNeedDrain && change(STREAM_BYTES));
    stream.on('resume', () => change(0));
    stream.on('end', () => change(response.writableLength));
    response.once('close', () => change(0));
  }

  app.addHook('onSend', ({ raw: { socket } }, { raw: response }, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (payload instanceof Readable) holdUnread(payload, socket, response);
    else if (bytes > SMALL_RESPONSE_BYTES && !socket.destroyed) {
      response.once('close', () => release(socket, bytes));
      hold(socket, bytes);
    }
    done();
  });
}

const MAX_VALUES = 10_000;

/**
 * Whether a body of JSON is long by the number of its values, and not by a picture, which is one string. To parse some
 * megabytes of them takes a second, in which nobody else is served.
 */
export function hasTooManyValues(body: Buffer): boolean {
  if (body.length <= BODY_LIMIT_BYTES) return false;
  let values = 0;
  for (const mark of [',', '[', '{']) {
    for (let at = body.indexOf(mark); at !== -1 && values <= MAX_VALUES; at = body.indexOf(mark, at + 1)) values += 1;
  }
  return values > MAX_VALUES;
}
