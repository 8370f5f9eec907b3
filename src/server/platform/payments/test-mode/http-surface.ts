import type { FastifyPluginAsync } from 'fastify';
import type { HandleRequest } from './handle-request.ts';

const LARGEST_BODY_BYTES = 16 * 1024;

/** The provider over HTTP, for the card form and for any Stripe SDK; below the prefix it is registered with. */
export function createHttpSurface(handle: HandleRequest): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: LARGEST_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    app.route({
      method: ['GET', 'POST'],
      url: '/v1/*',
      logLevel: 'warn',
      schema: { hide: true },
      handler: async (request, reply) => {
        const answer = await handle({
          method: request.method,
          url: request.url.slice(app.prefix.length),
          body: typeof request.body === 'string' ? request.body : '',
          authorization: request.headers.authorization,
          idempotencyKey: headerText(request.headers['idempotency-key']),
        });
        return reply
          .status(answer.status)
          .headers({ ...answer.headers, 'content-type': 'application/json', 'cache-control': 'no-store' })
          .send(answer.body);
      },
    });
  };
}

const headerText = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
