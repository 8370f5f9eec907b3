import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { type SerializedBody, sendSerialized, serializeBody } from '../platform/http/response-cache.ts';
import { demoFolder } from './demo-data.ts';

const folder = new URL('covers/', demoFolder);
const SVG_TYPE = 'image/svg+xml; charset=utf-8';

/** Serves GET /demo/covers/{slug}.svg. Each file is read and compressed at its first request. */
export const coversRoutes: FastifyPluginAsync = async (app) => {
  const names = new Set(readdirSync(folder));
  const covers = new Map<string, SerializedBody>();

  app.get<{ Params: { file: string } }>('/demo/covers/:file', async (request, reply) => {
    const { file } = request.params;
    // Only a name on this list becomes part of a path.
    if (!names.has(file)) throw new AppError('NOT_FOUND', 'There is no such cover');
    const cover = covers.get(file) ?? (await serializeBody(await readFile(new URL(file, folder), 'utf8'), SVG_TYPE));
    covers.set(file, cover);
    return sendSerialized(cover, request, reply, 'public, max-age=31536000, immutable');
  });
};
