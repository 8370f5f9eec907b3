import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { ProductKind } from '../../../shared/catalog.ts';
import { orNotFound } from '../../../shared/errors.ts';
import type { AdminProductsQuery } from '../../../shared/products.ts';
import type { Deps } from '../../deps.ts';
import { wideNetworkOf } from '../../platform/http/client.ts';
import { isCurrent } from '../../platform/http/response-cache.ts';
import type { AdminActor, ChangeCall, Route } from '../../platform/http/route.ts';
import { createFairLimiter } from '../../platform/limiter.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { normalizeImage } from './normalize-image.ts';
import { type PublicCatalog, presentAdminDigitalProduct, presentAdminPhysicalProduct } from './present-product.ts';
import {
  countByActivity,
  findImage,
  findProduct,
  insertImage,
  listProducts,
  type ProductWithItems,
} from './products.queries.ts';
import {
  createProduct,
  deleteProduct,
  type ProductChanges,
  type ProductInput,
  updateProduct,
} from './write-product.ts';

export function catalogRoutes(route: Route, catalog: PublicCatalog): void {
  route('GET /digital-products', ({ query }) => catalog.list('digital', query));
  route('GET /digital-products/categories/list', () => catalog.categories('digital'));
  route('GET /digital-products/:id', ({ params }) => get('digital', params.id));

  route('GET /products', ({ query }) => catalog.list('physical', query));
  route('GET /products/categories/list', () => catalog.categories('physical'));
  route('GET /products/:id', ({ params }) => get('physical', params.id));

  async function get<Kind extends ProductKind>(kind: Kind, id: string) {
    return { data: orNotFound(await catalog.findProduct(kind, id), 'Product not found') };
  }
}

/** The products for administrators: two views of one list, each with the fields of its kind. */
export function adminProductsRoutes(route: Route, deps: Deps): void {
  const digital = manageKind(deps, 'digital', (row) => presentAdminDigitalProduct(row, deps.clock.now(), deps.config));
  route('GET /admin/digital-products', ({ query }) => digital.list(query));
  route('GET /admin/digital-products/:id', ({ params }) => digital.get(params.id));
  route('POST /digital-products', digital.create);
  route('PUT /digital-products/:id', digital.update);
  route('DELETE /digital-products/:id', digital.remove);

  const physical = manageKind(deps, 'physical', (row) =>
    presentAdminPhysicalProduct(row, deps.clock.now(), deps.config),
  );
  route('GET /admin/products', ({ query }) => physical.list(query));
  route('GET /admin/products/:id', ({ params }) => physical.get(params.id));
  route('POST /admin/products', physical.create);
  route('PUT /admin/products/:id', physical.update);
  route('DELETE /admin/products/:id', physical.remove);

  route('POST /admin/images', async ({ file, actor }) => ({ data: await uploadImage(deps, file, actor) }));
}

function manageKind<T>(deps: Deps, kind: ProductKind, present: (row: ProductWithItems) => T) {
  async function get(id: string): Promise<{ data: T }> {
    return { data: present(orNotFound(await findProduct(deps.db, kind, id), 'Product not found')) };
  }

  return {
    get,
    async list(query: AdminProductsQuery) {
      const [{ rows, ...page }, counts] = await Promise.all([
        listProducts(deps.db, kind, query),
        countByActivity(deps.db, kind),
      ]);
      return { data: rows.map(present), ...page, counts };
    },
    create: async ({ body, actor }: Omit<ChangeCall<ProductInput>, 'params'>) =>
      get(await createProduct(deps, { kind, actor, product: body })),
    async update({ params: { id }, body, actor }: ChangeCall<ProductChanges>) {
      await updateProduct(deps, { kind, actor, id, changes: body });
      return get(id);
    },
    remove: ({ params: { id }, actor }: Omit<ChangeCall<unknown>, 'body'>) => deleteProduct(deps, { kind, actor, id }),
  };
}

const FILE_NAME = /^(?<id>[0-9a-f]{64})\.webp$/;

const NO_IMAGE = 'There is no such image';

// A picture is read from the database for each request, of which some hundred at once would take up all connections. A
// network (of IPv6 the /48) reads two at a time, so that its requests do not keep others waiting for their pictures.
const limited = createFairLimiter({ inAll: 4, ofKey: 2 }, 1_000);

/** GET /images/{id}.webp: the id is the hash of the content, so browsers may cache it for ever. */
export function imageFiles(app: FastifyInstance, { db }: Pick<Deps, 'db'>): void {
  app.get<{ Params: { file: string } }>('/images/:file', async (request, reply) => {
    const id = orNotFound(FILE_NAME.exec(request.params.file)?.groups?.['id'], NO_IMAGE);
    const etag = `"${id}"`;
    const headers = { etag, 'cache-control': 'public, max-age=31536000, immutable' };
    if (isCurrent(request, etag)) return reply.headers(headers).status(304).send();
    const image = orNotFound(await limited(wideNetworkOf(request.ip), () => findImage(db, id)), NO_IMAGE);
    return reply.headers(headers).type(image.media_type).send(image.content);
  });
}

async function uploadImage(deps: Deps, file: Buffer, actor: AdminActor) {
  const { content, width, height } = await normalizeImage(file, actor.userId);
  const id = createHash('sha256').update(content).digest('hex');
  await deps.db.transaction().execute(async (trx) => {
    const image = { id, content, media_type: 'image/webp', width, height };
    await insertImage(trx, { ...image, created_at: deps.clock.now() });
    const summary = `Uploaded an image of ${width} × ${height} pixels`;
    await writeAudit(deps, trx, { actor, action: 'image.uploaded', subject: { type: 'image', id }, summary });
  });
  return { url: `/images/${id}.webp`, width, height };
}
