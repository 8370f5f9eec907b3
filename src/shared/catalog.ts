import * as z from 'zod/mini';
import { categories, sortOptions } from './catalog-choices.ts';
import { dataResponse, type Endpoints, listResponse } from './endpoint.ts';
import { dollars, id, idParams, line, timestamp } from './text.ts';

export const category = z.enum(categories);

export type Category = z.infer<typeof category>;

export const sortOption = z.enum(sortOptions);

export type SortOption = z.infer<typeof sortOption>;

const discount = z.object({
  type: z.enum(['none', 'percentage', 'fixed']),
  /** Per cent for `percentage`, dollars for `fixed`, 0 for `none`. */
  value: z.number(),
  startDate: z.nullable(timestamp),
  endDate: z.nullable(timestamp),
});

const flashSale = z.object({
  /** Running now, by the server's clock, with units left. */
  active: z.boolean(),
  price: dollars,
  startDate: z.nullable(timestamp),
  endDate: z.nullable(timestamp),
  limitedStock: z.nullable(z.int()),
  /** Units still to be had at this price; null means no limit. */
  unitsLeft: z.nullable(z.int()),
});

export const digitalProduct = z.object({
  _id: id,
  name: z.string(),
  description: z.string(),
  category,
  image: z.string(),
  /** The regular price; `effectivePrice` is what one unit costs now. */
  price: dollars,
  effectivePrice: dollars,
  discount: z.nullable(discount),
  flashSale: z.nullable(flashSale),
  stock: z.int(),
  /** Out of stock, and unpaid orders hold units of it that may come back. */
  reserved: z.boolean(),
  /** The most units that a guest may hold unpaid at once; null where nothing is limited. */
  maxPerGuest: z.nullable(z.int()),
  featured: z.boolean(),
  isActive: z.boolean(),
  deliveryInstructions: z.string(),
  /** Days after delivery in which a faulty item is replaced; 0 for none. */
  warranty: z.int(),
  createdAt: timestamp,
});

export type DigitalProduct = z.infer<typeof digitalProduct>;

export const categoryEntry = z.object({ name: category, totalStock: z.int() });

export type CategoryEntry = z.infer<typeof categoryEntry>;

const UP_TO_50_IDS = /^\b(,?\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}){1,50}$/;

export const productListQuery = z.object({
  /** A category that the shop does not have has no products. Empty is all of them. */
  category: z.optional(line(100)),
  /** Empty is `featured`. */
  sort: z.optional(z.enum([...sortOptions, ''])),
  /** Case-insensitive part of the name. */
  q: z.optional(line(100)),
  /** Comma-separated product ids: answers just these, for a cart that refreshes its prices. */
  ids: z.optional(z.string().check(z.regex(UP_TO_50_IDS, 'must be up to 50 ids'))),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200))),
  /** `nextCursor` of the page before. */
  cursor: z.optional(z.string().check(z.maxLength(200))),
});

export type ProductListQuery = z.infer<typeof productListQuery>;

export const productPage = z.object({
  success: z.literal(true),
  data: z.array(digitalProduct),
  nextCursor: z.nullable(z.string()),
  /** How many match on all pages together, as far as they are counted; null on the pages after the first. */
  total: z.nullable(z.int()),
  /** There may be more than `total`. */
  hasUncounted: z.boolean(),
});

export type ProductPage = z.infer<typeof productPage>;

/** The shop window. */
export const catalogEndpoints = {
  'GET /digital-products': {
    access: 'public',
    limit: 'catalogue',
    summary: 'Active digital products',
    query: productListQuery,
    output: productPage,
  },
  'GET /digital-products/categories/list': {
    access: 'public',
    limit: 'catalogue',
    summary: 'Categories with their total stock',
    output: listResponse(categoryEntry),
  },
  'GET /digital-products/:id': {
    access: 'public',
    limit: 'catalogue',
    summary: 'One active product',
    params: idParams,
    output: dataResponse(digitalProduct),
  },
} as const satisfies Endpoints;
