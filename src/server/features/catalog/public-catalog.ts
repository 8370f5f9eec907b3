import type { Product, ProductKind, ProductListQuery } from '../../../shared/catalog.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/list-queries.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { createResponseCache, type SerializedBody, serializeResponse } from '../../platform/http/response-cache.ts';
import { countActiveProducts, findActiveProduct, listActiveProducts, listCategoryStock } from './catalog.queries.ts';
import { presentProduct } from './present-product.ts';

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
    // A cart asks by ids, often because a price or the stock has just changed. So this uses neither the cache nor the
    // replica.
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
    const { limit, cursor } = query;
    const sort = query.sort || 'featured';
    const filter = { kind, category: query.category, nameContains: query.q, ids: query.ids?.split(',') };
    const found = await listActiveProducts(db, { ...filter, limit, cursor, sort, now });
    const { rows, nextCursor } = cutPage(found, { limit });
    return { data: rows.map((row) => presentProduct(row, now, config)), nextCursor, ...(await count()) };

    /** Only the first page of several needs a query. */
    async function count() {
      if (cursor !== undefined) return { total: null, hasUncounted: false };
      return nextCursor ? countActiveProducts(db, filter) : { total: rows.length, hasUncounted: false };
    }
  }
}
