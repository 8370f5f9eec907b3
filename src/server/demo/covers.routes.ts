import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { acceptsGzip } from '../platform/http/response-cache.ts';
import { demoFolder } from './demo-data.ts';

const folder = new URL('covers/', demoFolder);

/** Serves GET /demo/covers/{slug}.svg. Each file is read and compressed at its first request. */
export const coversRoutes: FastifyPluginAsync = async (app) => {
  const names = new Set(readdirSync(folder));
  const covers = new Map<string, Awaited<ReturnType<typeof readCover>>>();

  app.get<{ Params: { file: string } }>('/demo/covers/:file', async (request, reply) => {
    const { file } = request.params;
    // Only a name on this list becomes part of a path.
    if (!names.has(file)) throw new AppError('NOT_FOUND', 'There is no such cover');

    const cover = covers.get(file) ?? (await readCover(file));
    covers.set(file, cover);
    const { svg, gzipped } = cover;
    reply
      .header('content-type', 'image/svg+xml; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding');
    if (!acceptsGzip(request)) return reply.send(svg);
    return reply.header('content-encoding', 'gzip').send(gzipped);
  });
};

async function readCover(file: string): Promise<{ svg: Buffer; gzipped: Buffer }> {
  const svg = await readFile(new URL(file, folder));
  return { svg, gzipped: await promisify(gzip)(svg) };
}
