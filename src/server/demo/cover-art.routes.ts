import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { coverArt } from './cover-art.ts';
import { demoProducts } from './products/demo-products.ts';
import { demoPhysicalProducts } from './products/physical-products.ts';

const compress = promisify(gzip);
const FILE_NAME = /^(?<slug>[a-z0-9-]{1,80})\.svg$/;

const products = new Map(
  [...demoProducts, ...demoPhysicalProducts].map((product) => [product.slug, product]),
);

/** GET /demo/covers/{slug}.svg: each drawn once, when it is first asked for. */
export const coverArtRoutes: FastifyPluginAsync = async (app) => {
  const drawn = new Map<string, Promise<{ svg: Buffer; gzipped: Buffer }>>();

  app.get<{ Params: { file: string } }>('/demo/covers/:file', async (request, reply) => {
    const product = products.get(FILE_NAME.exec(request.params.file)?.groups?.['slug'] ?? '');
    if (!product) throw new AppError('NOT_FOUND', 'There is no such cover');

    const cover = drawn.get(product.slug) ?? draw(coverArt(product));
    drawn.set(product.slug, cover);
    const { svg, gzipped } = await cover;
    reply
      .header('content-type', 'image/svg+xml; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding');
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(svg);
    return reply.header('content-encoding', 'gzip').send(gzipped);
  });
};

async function draw(document: string): Promise<{ svg: Buffer; gzipped: Buffer }> {
  const svg = Buffer.from(document);
  return { svg, gzipped: await compress(svg) };
}
