import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Actor } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { isCurrent } from '../../platform/http/serialized-body.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { normalizeImage } from './normalize-image.ts';
import { findImage, insertImage } from './products.queries.ts';

const FILE_NAME = /^(?<id>[0-9a-f]{64})\.webp$/;

export function imagesRoutes(route: Route, deps: Deps): void {
  route('POST /admin/images', async ({ file, actor }) => ({ data: await uploadImage(deps, file, actor) }));
}

/** GET /images/{id}.webp: the id is the hash of the content, so browsers may cache it for ever. */
export function imageFiles(app: FastifyInstance, { db }: Pick<Deps, 'db'>): void {
  app.get<{ Params: { file: string } }>('/images/:file', async (request, reply) => {
    const id = FILE_NAME.exec(request.params.file)?.groups?.['id'];
    const image = id === undefined ? undefined : await findImage(db, id);
    if (!image) throw new AppError('NOT_FOUND', 'There is no such image');

    const etag = `"${id}"`;
    reply.header('etag', etag).header('cache-control', 'public, max-age=31536000, immutable');
    if (isCurrent(request, etag)) return reply.status(304).send();
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
