import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../../shared/durations.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { probePaths } from './health.ts';

/**
 * Requests of a connection that may be unanswered at once. Browsers and proxies send the next one after the response.
 * Node begins all that arrive in a packet before it serves another connection, and keeps their responses.
 */
const MAX_UNANSWERED = 16;

/**
 * A body may arrive in so many pieces of any size; each further piece must bring the average to some bytes. Until a body
 * is complete, each of its pieces takes more than a hundred bytes of memory.
 */
const FREE_PIECES = 1_000;
const MIN_PIECE_BYTES = 64;

/**
 * Creates the web server. Closes a connection with too many unanswered requests, one with a body in very small pieces,
 * and one on which nothing was sent or read for `stalledMs`: its client does not read the response. An interrupted
 * download can be resumed.
 */
export function createHttpServer(handler: RequestListener, { stalledMs = MINUTE_MS } = {}): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = createServer(
    {
      requestTimeout: 30_000,
      // Longer than a proxy keeps an idle connection, so that it does not send a request on a closed one.
      keepAliveTimeout: 72_000,
      // Node would refuse a request without a Host header itself, without our headers. The first hook does it (hasOneHost).
      requireHostHeader: false,
    },
    (request, response) => {
      const { socket } = request;
      const count = (change: 1 | -1) => {
        const requests = (unanswered.get(socket) ?? 0) + change;
        unanswered.set(socket, requests);
        return requests;
      };
      // The parser goes on with the packet after the connection is closed.
      if (socket.destroyed || count(1) > MAX_UNANSWERED) return void socket.destroy();
      response.once('close', () => count(-1));
      limitPieces(request);
      handler(request, response);
    },
  );
  // Node asks for the address at its first use, and then keeps it. A client that has disconnected has none: calls would
  // fail, and count for no address.
  server.on('connection', (socket) => {
    if (socket.remoteAddress === undefined) socket.destroy();
  });
  return server.setTimeout(stalledMs);
}

/** The parser pushes each piece (a chunk, or a part of it) at once, also while nobody reads the body. */
function limitPieces(request: IncomingMessage): void {
  const push = request.push.bind(request);
  let [pieces, bytes] = [0, 0];
  request.push = (piece: Buffer | null) => {
    pieces += 1;
    bytes += piece?.length ?? 0;
    if (pieces <= FREE_PIECES + bytes / MIN_PIECE_BYTES) return push(piece);
    request.socket.destroy();
    return false;
  };
}

/** Whether a request has one Host header, which only HTTP/1.0 may leave out (RFC 9112, 3.2). Node takes the first of two. */
export function hasOneHost({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  const isName = (text: string, at: number) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';
  return rawHeaders.filter(isName).length === 1;
}

// Required by Stripe's documentation for a page with its card field.
const STRIPE_SCRIPTS = ['https://js.stripe.com', 'https://*.js.stripe.com'];
const STRIPE_API = 'https://api.stripe.com';
const STRIPE_FRAMES = [...STRIPE_SCRIPTS, 'https://hooks.stripe.com'];

/**
 * Returns Helmet's headers for every response. Their content security policy allows only our own files, those of Stripe
 * if Stripe takes the cards, and images from any https host. The headers never change, so Helmet runs once: as a hook
 * it would take a seventh of the time of a short response.
 */
export async function securityHeaders(setting: Setting): Promise<Record<string, string>> {
  const app = Fastify();
  await app.register(helmet, helmetOptions(setting));
  app.get('/', () => '');
  app.get('/bare', { helmet: false }, () => '');
  const [withHelmet, without] = [await app.inject('/'), await app.inject('/bare')];
  await app.close();
  const added = Object.entries(withHelmet.headers).filter(([name]) => !(name in without.headers));
  return Object.fromEntries(added.map(([name, value]) => [name, String(value)]));
}

type Setting = { production: boolean; stripe: boolean };

const helmetOptions = ({ production, stripe }: Setting): FastifyHelmetOptions => ({
  hsts: production,
  referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", ...(stripe ? STRIPE_SCRIPTS : [])],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', 'https:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'", ...(stripe ? [STRIPE_API] : [])],
      frameSrc: stripe ? STRIPE_FRAMES : ["'none'"],
      manifestSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      ...(production && { upgradeInsecureRequests: [] }),
    },
  },
});

interface Observer {
  metrics: Metrics;
  log: FastifyBaseLogger;
  config: {
    /** The share of requests that are logged, from 0 to 1. */
    logRequests: number;
    /** Requests that take at least this long are always logged; 0 turns that off. */
    slowRequestMs: number;
  };
}

/** Returns what the log says of a request: the route's template instead of the path, which may hold a secret. */
export function loggableRequest(
  { method, routeOptions, viewer }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
) {
  const userId = viewer?.userId;
  return {
    method,
    route: routeOptions.url ?? 'none',
    status: statusCode,
    ms: Math.round(elapsedTime),
    ...(userId && { userId }),
  };
}

/** Counts every answered request; logs slow ones and a share of the others. Failed ones are logged by sendError(). */
export function observeRequests(app: FastifyInstance, { metrics, log, config }: Observer): void {
  const { logRequests, slowRequestMs } = config;
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id: reqId, turnedAwayBy: code } = request;
    const route = request.routeOptions.url;
    metrics.request({ method, route, status: reply.statusCode, code, seconds: reply.elapsedTime / 1_000 });
    done();
    if (reply.statusCode >= 500 || (route !== undefined && probePaths.has(route))) return;
    const isSlow = slowRequestMs > 0 && reply.elapsedTime >= slowRequestMs;
    if (!isSlow && Math.random() >= logRequests) return;
    log.info({ reqId, ...loggableRequest(request, reply) }, isSlow ? 'slow request' : 'request');
  });
}
