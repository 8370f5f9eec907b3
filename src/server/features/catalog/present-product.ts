import { maxPerGuest } from '../../../shared/cart-rules.ts';
import type {
  Category,
  DigitalProduct,
  PhysicalProduct,
  Product,
  ProductKind,
  ProductListQuery,
} from '../../../shared/catalog.ts';
import { effectivePrice, toDollars } from '../../../shared/pricing.ts';
import type { AdminDigitalProduct, AdminPhysicalProduct } from '../../../shared/products.ts';
import type { Config } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/database.ts';
import { cutPage } from '../../platform/database/list-queries.ts';
import type { ProductRow } from '../../platform/database/tables.ts';
import { createResponseCache, serializeResponse } from '../../platform/http/response-cache.ts';
import {
  countActiveProducts,
  findActiveProduct,
  listActiveProducts,
  listCategoryStock,
  type ProductOnSale,
} from './catalog.queries.ts';
import { priceTermsOfRow } from './offers.ts';
import type { ProductWithItems } from './products.queries.ts';

const iso = (moment: Date | null) => moment?.toISOString() ?? null;

/** A product as shoppers may see it, priced for one unit at `now`. */
export const presentProduct = (row: ProductOnSale, now: Date, config: Config): Product =>
  row.kind === 'digital' ? presentDigitalProduct(row, now, config) : presentPhysicalProduct(row, now, config);

const presentDigitalProduct = (row: ProductOnSale, now: Date, config: Config): DigitalProduct => ({
  ...commonFields(row, now, config),
  kind: 'digital',
  category: row.category as Category,
  delivery: row.delivery ?? 'unique',
  region: row.region,
  platform: row.platform,
  buyerFields: row.buyer_fields,
  download: row.delivery === 'file' ? { file: row.file, limit: row.download_limit, days: row.download_days } : null,
  deliveryInstructions: row.delivery_instructions,
  warranty: row.warranty_days,
});

const presentPhysicalProduct = (row: ProductOnSale, now: Date, config: Config): PhysicalProduct => ({
  ...commonFields(row, now, config),
  kind: 'physical',
  category: row.category,
  brand: row.brand ?? '',
  weight: row.weight_grams,
  length: row.length_mm,
  width: row.width_mm,
  height: row.height_mm,
});

export const presentAdminDigitalProduct = (row: ProductWithItems, now: Date, config: Config): AdminDigitalProduct => ({
  ...presentDigitalProduct(row, now, config),
  inventoryStats: { total: row.total, available: row.available, sold: row.sold },
  unitsLeft: row.stock,
  ...adminFields(row),
});

export const presentAdminPhysicalProduct = (
  row: ProductWithItems,
  now: Date,
  config: Config,
): AdminPhysicalProduct => ({ ...presentPhysicalProduct(row, now, config), ...adminFields(row) });

const adminFields = (row: ProductWithItems) => ({
  lowStock: row.low_stock,
  isDraft: row.is_draft,
  version: row.version,
  deletedAt: iso(row.deleted_at),
});

function commonFields(row: ProductOnSale, now: Date, { rateLimits }: Config) {
  const terms = priceTermsOfRow(row);
  const price = effectivePrice(terms, 1, now);
  return {
    _id: row.id,
    name: row.name,
    description: row.description,
    image: row.image,
    images: [row.image, ...row.more_images],
    price: toDollars(row.price_cents),
    effectivePrice: toDollars(price.unitPriceCents),
    discount: presentDiscount(row),
    flashSale: terms.flashSale && {
      active: price.source === 'flash-sale',
      price: toDollars(terms.flashSale.priceCents),
      startDate: iso(terms.flashSale.startsAt),
      endDate: iso(terms.flashSale.endsAt),
      limitedStock: row.flash_units_limit,
      unitsLeft: terms.flashSale.unitsLeft,
    },
    stock: row.available,
    reserved: row.available === 0 && row.held > 0,
    maxPerGuest: rateLimits ? maxPerGuest(row.available + row.held) : null,
    featured: row.featured,
    isActive: row.is_active,
    rating: row.rating_tenths / 10,
    numReviews: row.review_count,
    createdAt: row.created_at.toISOString(),
  };
}

function presentDiscount(row: ProductRow): DigitalProduct['discount'] {
  if (row.discount_type === null) return null;
  const hundredths = row.discount_type === 'percentage' ? row.discount_basis_points : row.discount_cents;
  return {
    type: row.discount_type,
    value: (hundredths ?? 0) / 100,
    startDate: iso(row.discount_starts_at),
    endDate: iso(row.discount_ends_at),
  };
}

/** The catalogue as shoppers see it, for the API and for the pages that embed it. */
export type PublicCatalog = ReturnType<typeof createPublicCatalog>;

export function createPublicCatalog(deps: Pick<Deps, 'db' | 'readDb' | 'clock' | 'config'>) {
  const { readDb, clock, config } = deps;
  const cached = createResponseCache(clock);
  return {
    // A cart asks by ids, often because a price or the stock has just changed. So this uses neither the cache nor the
    // replica.
    list: (kind: ProductKind, query: ProductListQuery) =>
      query.ids === undefined
        ? cached(`list ${kind} ${JSON.stringify(query)}`, () => readList(readDb, kind, query))
        : readList(deps.db, kind, query).then(serializeResponse),
    categories: (kind: ProductKind) =>
      cached(`categories ${kind}`, async () => ({ data: await listCategoryStock(readDb, kind) })),
    /** Undefined also for a product of the other kind. */
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
