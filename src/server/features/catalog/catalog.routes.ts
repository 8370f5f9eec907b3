import { api } from '../../../shared/api.ts';
import type { CategoryEntry, ProductListQuery } from '../../../shared/catalog.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { createAnswerCache } from './answer-cache.ts';
import {
  findActiveProduct,
  listActiveProducts,
  listCategoryStock,
  sortColumnCount,
} from './catalog.queries.ts';
import { decodeCursor, encodeCursor } from './catalog-cursor.ts';
import { presentProduct } from './present-product.ts';

const PAGE_SIZE = 100;

export function catalogRoutes(route: Route, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  const cache = createAnswerCache(clock);

  route(api.listDigitalProducts, ({ query }) =>
    cache.get(`list ${JSON.stringify(query)}`, () => answerList(query)),
  );

  async function answerList(query: ProductListQuery) {
    const now = clock.now();
    const sort = query.sort ?? 'featured';
    const limit = query.limit ?? PAGE_SIZE;
    const rows = await listActiveProducts(db, {
      category: query.category,
      sort,
      nameContains: query.q,
      ids: query.ids?.split(','),
      limit,
      after: query.cursor === undefined ? undefined : decodeCursor(query.cursor, sortColumnCount(sort)),
      now,
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map((row) => presentProduct(row, now)),
      nextCursor: last ? encodeCursor(last.cursor) : null,
    };
  }

  route(api.listCategories, () =>
    cache.get('categories', async () => ({ data: (await listCategoryStock(db)) as CategoryEntry[] })),
  );

  route(api.getDigitalProduct, async ({ params }) => {
    const row = await findActiveProduct(db, params.id);
    if (!row) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: presentProduct(row, clock.now()) };
  });
}
