import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Sharp } from 'sharp';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { createLimiter } from '../../platform/limiter.ts';
import { type Actor, actorOf, writeAudit } from '../admin/audit-log.ts';
import { findImage, insertImage } from './products.queries.ts';

const FILE_NAME = /^(?<id>[0-9a-f]{64})\.webp$/;

export function imagesRoutes(route: Route, deps: Deps): void {
  route('POST /admin/images', async ({ file, viewer, request }) => ({
    data: await uploadImage(deps, file, actorOf(viewer, request)),
  }));
}

/** GET /images/{id}.webp: the id is the hash of the content, so a browser never has to ask again. */
export function imageFiles(app: FastifyInstance, { db }: Pick<Deps, 'db'>): void {
  app.get<{ Params: { file: string } }>('/images/:file', async (request, reply) => {
    const id = FILE_NAME.exec(request.params.file)?.groups?.['id'];
    const image = id === undefined ? undefined : await findImage(db, id);
    if (!image) throw new AppError('NOT_FOUND', 'There is no such image');

    const etag = `"${id}"`;
    reply.header('etag', etag).header('cache-control', 'public, max-age=31536000, immutable');
    if (request.headers['if-none-match'] === etag) return reply.status(304).send();
    return reply.type(image.media_type).send(image.content);
  });
}

async function uploadImage(deps: Deps, file: Buffer, actor: Actor) {
  const { content, width, height } = await normalizeImage(file);
  const id = createHash('sha256').update(content).digest('hex');
  await deps.db.transaction().execute(async (trx) => {
    const image = { id, content, media_type: 'image/webp', width, height };
    await insertImage(trx, { ...image, created_at: deps.clock.now() });
    const summary = `Uploaded an image of ${width} × ${height} pixels`;
    await writeAudit(deps, trx, { actor, action: 'image.uploaded', subject: { type: 'image', id }, summary });
  });
  return { url: `/images/${id}.webp`, width, height };
}

const LONGEST_SIDE = 1600;
// Large phones take 48 megapixels; decoding one picture takes up to 170 MB, so it is one at a time.
const MOST_PIXELS = 50_000_000;
const QUALITY = 82;
const TIMEOUT_SECONDS = 20;

// Only these formats are decoded: the faults of every other decoder are out of reach of a file.
const LOADERS = ['Png', 'Jpeg', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`);

const limited = createLimiter(1, 8);

/**
 * Turns a PNG, JPEG or WebP, recognised by its bytes and not by its name, into a new WebP: upright, at most 1600 pixels
 * wide and high, without metadata (place, comments, code). Throws IMAGE_REFUSED for anything else, for a damaged file and
 * for one that needs too much memory; BUSY when too many wait.
 */
async function normalizeImage(file: Buffer): Promise<{ content: Buffer; width: number; height: number }> {
  if (!SIGNATURES.test(file.subarray(0, 12).toString('hex')))
    throw refused('The file must be a PNG, JPEG or WebP image');
  return limited(async () => {
    const open = await loadSharp();
    const made = open(file)
      .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer({ resolveWithObject: true });
    const { data, info } = await made.catch((error: unknown) => {
      throw refusalOf(error);
    });
    return { content: data, width: info.width, height: info.height };
  });
}

const refused = (message: string) => new AppError('IMAGE_REFUSED', message);

/** PNG, JPEG or WebP. */
const SIGNATURES = /^(89504e470d0a1a0a|ffd8ff|52494646.{8}57454250)/;

function refusalOf(error: unknown): AppError {
  const isTooLarge = error instanceof Error && error.message.includes('pixel limit');
  return refused(
    isTooLarge
      ? 'The image must have at most 50 million pixels'
      : 'The image could not be read. It may be damaged or incomplete.',
  );
}

let loaded: Promise<(file: Buffer) => Sharp> | undefined;

/** Sharp takes memory and time to load, so it is loaded for the first picture. */
function loadSharp(): Promise<(file: Buffer) => Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    sharp.cache(false);
    sharp.concurrency(1);
    return (file) => sharp(file, { autoOrient: true, failOn: 'warning', limitInputPixels: MOST_PIXELS });
  });
  return loaded;
}
