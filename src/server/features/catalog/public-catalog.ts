import type { Product, ProductKind, ProductListQuery } from '../../../shared/catalog.ts';
import type { Deps } from '../../deps.ts';
import { decodeCursor, encodeCursor } from '../../platform/database/list-queries.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { createResponseCache } from '../../platform/http/response-cache.ts';
import { type SerializedBody, serializeResponse } from '../../platform/http/serialized-body.ts';
import {
  countActiveProducts,
  findActiveProduct,
  listActiveProducts,
  listCategoryStock,
  sortTypes,
} from './catalog.queries.ts';
import { presentProduct } from './present-product.ts';

const PAGE_SIZE = 100;

/** The catalogue as shoppers see it, for the API and for the pages that embed it. */
export interface PublicCatalog {
  list(kind: ProductKind, query: ProductListQuery): Promise<SerializedBody>;
  categories(kind: ProductKind): Promise<SerializedBody>;
  /** Undefined also for a product of the other kind. */
  findProduct<Kind extends ProductKind>(kind: Kind, id: string): Promise<Extract<Product, { kind: Kind }> | undefined>;
}

export function createPublicCatalog(deps: Pick<Deps, 'db' | 'readDb' | 'clock' | 'config'>): PublicCatalog {
  const { readDb, clock, config } = deps;
  const cached = createResponseCache(clock);
  return {
    // A cart asks by ids, often because a price or the stock has just changed: no cache, and no replica.
    list: (kind, query) =>
      query.ids === undefined
        ? cached(`list ${kind} ${JSON.stringify(query)}`, () => readList(readDb, kind, query))
        : readList(deps.db, kind, query).then(serializeResponse),
    categories: (kind) => cached(`categories ${kind}`, async () => ({ data: await listCategoryStock(readDb, kind) })),
    async findProduct<Kind extends ProductKind>(kind: Kind, id: string) {
      const row = await findActiveProduct(readDb, id);
      const product = row && presentProduct(row, clock.now(), config);
      return product?.kind === kind ? (product as Extract<Product, { kind: Kind }>) : undefined;
    },
  };

  async function readList(db: Database, kind: ProductKind, query: ProductListQuery) {
    const now = clock.now();
    const sort = query.sort || 'featured';
    const limit = query.limit ?? PAGE_SIZE;
    const filter = { kind, category: query.category, nameContains: query.q, ids: query.ids?.split(',') };
    const rows = await listActiveProducts(db, {
      ...filter,
      sort,
      limit,
      after: query.cursor === undefined ? undefined : decodeCursor(query.cursor, sortTypes(sort)),
      now,
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map((row) => presentProduct(row, now, config)),
      nextCursor: last ? encodeCursor(last.cursor) : null,
      ...(await count()),
    };

    /** Only the first of several pages costs a query. */
    async function count() {
      if (query.cursor !== undefined) return { total: null, hasUncounted: false };
      return last ? countActiveProducts(db, filter) : { total: page.length, hasUncounted: false };
    }
  }
}
