import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import compress from '@fastify/compress';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../shared/errors.ts';

const folder = resolve(import.meta.dirname, '../../../../dist/web');

// Vite names these by their content, so a browser may keep them for ever.
const HASHED = /[\\/]assets[\\/]/;

/**
 * The built browser side. Every address that is not a file of it and not a call answers the one page, whose own router
 * decides; asking for a file that is not there, by its ending, is a 404.
 */
export async function browserFiles(app: FastifyInstance): Promise<void> {
  await app.register(compress, { global: false, encodings: ['br', 'gzip'] });
  const built = existsSync(folder);
  if (!built) app.log.warn('the browser side is not built; only the calls are answered');

  if (built) {
    await app.register(fastifyStatic, {
      root: folder,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (reply, path) => {
        reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }

  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const isPage =
      built && request.method === 'GET' && !path.startsWith('/api/') && !/\.[^/]*$|\/\./.test(path);
    if (!isPage) throw new AppError('NOT_FOUND', 'There is nothing at this address');
    return reply.sendFile('index.html');
  });
}
