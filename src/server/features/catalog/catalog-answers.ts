import { LRUCache } from 'lru-cache';
import type { Product, ProductKind, ProductListQuery } from '../../../shared/catalog.ts';
import type { Deps } from '../../deps.ts';
import type { Clock } from '../../platform/clock.ts';
import { decodeCursor, encodeCursor } from '../../platform/database/list-queries.ts';
import { type SerializedBody, serializeAnswer } from '../../platform/http/serialized-body.ts';
import {
  countActiveProducts,
  findActiveProduct,
  listActiveProducts,
  listCategoryStock,
  sortTypes,
} from './catalog.queries.ts';
import { presentProduct } from './present-product.ts';

const PAGE_SIZE = 100;
// A shopper may see stock and sale prices this late; what is held and charged is always decided by the database.
const FRESH_FOR_MS = 1_000;
const MAX_ANSWERS = 500;

/** What shoppers see of the catalogue, for the calls and for the pages that carry it. */
export interface CatalogAnswers {
  list(kind: ProductKind, query: ProductListQuery): Promise<SerializedBody>;
  categories(kind: ProductKind): Promise<SerializedBody>;
  /** Undefined also for a product of the other kind. */
  findProduct<Kind extends ProductKind>(kind: Kind, id: string): Promise<Extract<Product, { kind: Kind }> | undefined>;
}

export function createCatalogAnswers({ db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>): CatalogAnswers {
  const cached = createAnswerCache(clock);
  return {
    // A cart asks for its own products, often because a price or the stock has just changed.
    list: (kind, query) =>
      query.ids === undefined
        ? cached(`list ${kind} ${JSON.stringify(query)}`, () => answerList(kind, query))
        : answerList(kind, query).then(serializeAnswer),
    categories: (kind) => cached(`categories ${kind}`, async () => ({ data: await listCategoryStock(db, kind) })),
    async findProduct<Kind extends ProductKind>(kind: Kind, id: string) {
      const row = await findActiveProduct(db, id);
      const product = row && presentProduct(row, clock.now(), config);
      return product?.kind === kind ? (product as Extract<Product, { kind: Kind }>) : undefined;
    },
  };

  async function answerList(kind: ProductKind, query: ProductListQuery) {
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

    /** Only the first page of several costs a query. */
    async function count() {
      if (query.cursor !== undefined) return { total: null, hasUncounted: false };
      return last ? countActiveProducts(db, filter) : { total: page.length, hasUncounted: false };
    }
  }
}

/** Keeps answers that are the same for everybody for a second; shoppers who ask at once share one query. */
function createAnswerCache(clock: Clock) {
  const answers = new LRUCache<string, { madeAt: number; body: Promise<SerializedBody> }>({ max: MAX_ANSWERS });

  return (key: string, make: () => Promise<object>): Promise<SerializedBody> => {
    const now = clock.now().getTime();
    const known = answers.get(key);
    if (known && Math.abs(now - known.madeAt) < FRESH_FOR_MS) return known.body;
    const body = make().then(serializeAnswer);
    answers.set(key, { madeAt: now, body });
    body.catch(() => answers.delete(key));
    return body;
  };
}
