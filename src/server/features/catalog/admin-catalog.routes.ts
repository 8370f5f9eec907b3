import type { AdminDigitalProduct } from '../../../shared/admin-catalog.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/newest-first.ts';
import type { Route } from '../../platform/http/route.ts';
import { actorOf } from '../audit/write-audit.ts';
import {
  countByActivity,
  countProducts,
  findProductToManage,
  listProductsToManage,
  type ProductWithItems,
} from './admin-catalog.queries.ts';
import { createProduct } from './create-product.ts';
import { deleteProduct } from './delete-product.ts';
import { presentProduct } from './present-product.ts';
import { updateProduct } from './update-product.ts';

/** What administrators see of digital products and do to them. */
export function adminCatalogRoutes(route: Route, deps: Deps): void {
  const { db, clock, config } = deps;

  const present = (row: ProductWithItems): AdminDigitalProduct => ({
    ...presentProduct({ ...row, stock: row.available, held: row.held }, clock.now(), config),
    inventoryStats: { total: row.total, available: row.available, sold: row.sold },
    version: row.version,
    deletedAt: row.deleted_at?.toISOString() ?? null,
  });

  async function productOf(id: string): Promise<{ data: AdminDigitalProduct }> {
    const row = await findProductToManage(db, id);
    if (!row) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: present(row) };
  }

  route('GET /admin/digital-products', async ({ query }) => {
    const search = { status: query.status, nameContains: query.q };
    const [found, counted, counts] = await Promise.all([
      listProductsToManage(db, { ...search, ...query }),
      countProducts(db, search),
      countByActivity(db),
    ]);
    const { rows, nextCursor } = cutPage(found, query);
    return { data: rows.map(present), nextCursor, ...counted, counts };
  });

  route('GET /admin/digital-products/:id', ({ params }) => productOf(params.id));

  route('POST /digital-products', async ({ body, viewer, request }) =>
    productOf(await createProduct(deps, { actor: actorOf(viewer, request), product: body })),
  );

  route('PUT /digital-products/:id', async ({ params, body, viewer, request }) => {
    await updateProduct(deps, { actor: actorOf(viewer, request), id: params.id, changes: body });
    return productOf(params.id);
  });

  route('DELETE /digital-products/:id', async ({ params, viewer, request }) => {
    await deleteProduct(deps, { actor: actorOf(viewer, request), id: params.id });
    return {};
  });
}
