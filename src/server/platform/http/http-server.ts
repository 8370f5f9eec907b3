import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { MINUTE_MS } from '../../../shared/durations.ts';

/**
 * Requests of a connection that may be unanswered at once. Browsers and proxies send the next request after the
 * response. Node begins all requests that arrive in a packet before it serves another connection, and keeps their
 * responses until they are read.
 */
const MAX_UNANSWERED = 16;

/**
 * Creates the web server. Closes a connection with too many unanswered requests, and one on which nothing was sent or
 * read for `stalledMs`: its client does not read the response. An interrupted download can be resumed.
 */
export function createHttpServer(handler: RequestListener, { stalledMs = MINUTE_MS } = {}): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = createServer(
    {
      requestTimeout: 30_000,
      // Longer than a proxy keeps an idle connection, so that it does not send a request on a closed one.
      keepAliveTimeout: 72_000,
      // Node would refuse a request without a Host header itself, without our headers. The first hook does it.
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
      handler(request, response);
    },
  );
  return server.setTimeout(stalledMs);
}
