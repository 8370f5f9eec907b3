import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { actorOf } from '../audit/write-audit.ts';
import { findImage } from './images.queries.ts';
import { uploadImage } from './upload-image.ts';

const FILE_NAME = /^(?<id>[0-9a-f]{64})\.webp$/;

export function imagesRoutes(route: Route, deps: Deps): void {
  route('POST /admin/images', async ({ file, viewer, request }) => ({
    data: await uploadImage(deps, { file, actor: actorOf(viewer, request) }),
  }));
}

/** GET /images/{id}.webp: an address is the hash of its content, so whoever has it need never ask again. */
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
