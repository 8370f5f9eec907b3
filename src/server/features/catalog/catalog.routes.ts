import { AppError } from '../../../shared/errors.ts';
import type { AdminProductsQuery } from '../../../shared/products.ts';
import type { ProductKind } from '../../../shared/statistics.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/list-queries.ts';
import type { Route } from '../../platform/http/route.ts';
import { type Actor, actorOf } from '../admin/audit-log.ts';
import type { CatalogAnswers } from './catalog-answers.ts';
import { createProduct, type ProductChanges, type ProductInput } from './create-product.ts';
import { presentAdminDigitalProduct, presentPhysicalProduct } from './present-product.ts';
import {
  countByActivity,
  countProducts,
  findProduct,
  listProducts,
  type ProductWithItems,
} from './products.queries.ts';
import { deleteProduct, updateProduct } from './update-product.ts';

/** The catalogue for shoppers. */
export function catalogRoutes(route: Route, catalog: CatalogAnswers): void {
  route('GET /digital-products', ({ query }) => catalog.list(query));

  route('GET /digital-products/categories/list', () => catalog.categories());

  route('GET /digital-products/:id', async ({ params }) => {
    const product = await catalog.findProduct(params.id);
    if (!product) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: product };
  });
}

/** The products for administrators: two views of one list, each with the fields of its kind. */
export function adminProductsRoutes(route: Route, deps: Deps): void {
  const digital = manageKind(deps, 'digital', (row) => presentAdminDigitalProduct(row, deps.clock.now(), deps.config));
  route('GET /admin/digital-products', ({ query }) => digital.list(query));
  route('GET /admin/digital-products/:id', ({ params }) => digital.get(params.id));
  route('POST /digital-products', ({ body, viewer, request }) => digital.create(actorOf(viewer, request), body));
  route('PUT /digital-products/:id', ({ params, body, viewer, request }) =>
    digital.update(actorOf(viewer, request), params.id, body),
  );
  route('DELETE /digital-products/:id', ({ params, viewer, request }) =>
    digital.remove(actorOf(viewer, request), params.id),
  );

  const physical = manageKind(deps, 'physical', (row) => presentPhysicalProduct(row, deps.clock.now()));
  route('GET /admin/products', ({ query }) => physical.list(query));
  route('GET /admin/products/:id', ({ params }) => physical.get(params.id));
  route('POST /admin/products', ({ body, viewer, request }) => physical.create(actorOf(viewer, request), body));
  route('PUT /admin/products/:id', ({ params, body, viewer, request }) =>
    physical.update(actorOf(viewer, request), params.id, body),
  );
  route('DELETE /admin/products/:id', ({ params, viewer, request }) =>
    physical.remove(actorOf(viewer, request), params.id),
  );
}

function manageKind<T>(deps: Deps, kind: ProductKind, present: (row: ProductWithItems) => T) {
  async function get(id: string): Promise<{ data: T }> {
    const row = await findProduct(deps.db, { kind, id });
    if (!row) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: present(row) };
  }

  return {
    get,
    async list(query: AdminProductsQuery) {
      const search = { kind, status: query.status, contains: query.q };
      const [found, counted, counts] = await Promise.all([
        listProducts(deps.db, { ...query, ...search }),
        countProducts(deps.db, search),
        countByActivity(deps.db, kind),
      ]);
      const { rows, nextCursor } = cutPage(found, query);
      return { data: rows.map(present), nextCursor, ...counted, counts };
    },
    async create(actor: Actor, product: ProductInput) {
      return get(await createProduct(deps, { actor, kind, product }));
    },
    async update(actor: Actor, id: string, changes: ProductChanges) {
      await updateProduct(deps, { actor, kind, id, changes });
      return get(id);
    },
    async remove(actor: Actor, id: string) {
      await deleteProduct(deps, { actor, kind, id });
      return {};
    },
  };
}
