import type { PhysicalProduct } from '../../../shared/admin-catalog.ts';
import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/newest-first.ts';
import type { PhysicalProductRow } from '../../platform/database/tables.ts';
import type { Route } from '../../platform/http/route.ts';
import { actorOf } from '../audit/write-audit.ts';
import { createPhysicalProduct } from './create-physical-product.ts';
import { deletePhysicalProduct } from './delete-physical-product.ts';
import {
  countPhysicalProducts,
  findPhysicalProduct,
  listPhysicalProducts,
} from './physical-goods.queries.ts';
import { updatePhysicalProduct } from './update-physical-product.ts';

export function physicalGoodsRoutes(route: Route, deps: Deps): void {
  const { db } = deps;

  async function productOf(id: string): Promise<{ data: PhysicalProduct }> {
    const row = await findPhysicalProduct(db, id);
    if (!row) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: present(row) };
  }

  route('GET /admin/products', async ({ query }) => {
    const search = { status: query.status, contains: query.q };
    const [found, counted] = await Promise.all([
      listPhysicalProducts(db, { ...query, ...search }),
      countPhysicalProducts(db, search),
    ]);
    const { rows, nextCursor } = cutPage(found, query);
    return { data: rows.map(present), nextCursor, ...counted };
  });

  route('GET /admin/products/:id', ({ params }) => productOf(params.id));

  route('POST /admin/products', async ({ body, viewer, request }) =>
    productOf(await createPhysicalProduct(deps, { actor: actorOf(viewer, request), product: body })),
  );

  route('PUT /admin/products/:id', async ({ params, body, viewer, request }) => {
    await updatePhysicalProduct(deps, { actor: actorOf(viewer, request), id: params.id, changes: body });
    return productOf(params.id);
  });

  route('DELETE /admin/products/:id', async ({ params, viewer, request }) => {
    await deletePhysicalProduct(deps, { actor: actorOf(viewer, request), id: params.id });
    return {};
  });
}

const present = (row: PhysicalProductRow): PhysicalProduct => ({
  _id: row.id,
  name: row.name,
  description: row.description,
  brand: row.brand,
  category: row.category,
  image: row.image,
  price: toDollars(row.price_cents),
  stock: row.stock,
  rating: row.rating_tenths / 10,
  numReviews: row.review_count,
  isActive: row.is_active,
  version: row.version,
  createdAt: row.created_at.toISOString(),
});
