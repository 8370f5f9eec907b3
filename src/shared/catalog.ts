import * as z from 'zod/mini';
import { categories, deliveries, sortOptions } from './catalog-choices.ts';
import { dataResponse, type Endpoints, forAll, listResponse } from './endpoint.ts';
import { page, pageStart, searchText } from './paging.ts';
import { dollars, id, idParams, line, requiredLine, timestamp } from './text.ts';

export const MAX_BUYER_FIELDS = 5;
export const MAX_LABEL_LENGTH = 60;

/** A field that the checkout asks the buyer of a product to fill in, e.g. a player's id or a server. */
const buyerField = z
  .object({
    label: requiredLine(MAX_LABEL_LENGTH),
    /** `choice`: one of `choices`; `text`: one line. */
    kind: z.enum(['text', 'choice']),
    required: z.boolean(),
    choices: z.array(requiredLine(60)).check(z.maxLength(30, 'must be at most 30 choices')),
  })
  .check(
    z.refine(({ kind, choices }) => kind === 'text' || choices.length > 1, { error: 'needs two choices or more' }),
  );
export type BuyerField = z.infer<typeof buyerField>;

export const buyerFields = z.array(buyerField).check(
  z.maxLength(MAX_BUYER_FIELDS, `A product asks for up to ${MAX_BUYER_FIELDS} fields`),
  z.refine(
    (fields) => new Set(fields.map(({ label }) => label)).size === fields.length,
    'Two fields have the same label',
  ),
);

export const MAX_ANSWER_LENGTH = 200;

const buyerAnswer = z.object({ label: line(MAX_LABEL_LENGTH), value: line(MAX_ANSWER_LENGTH) });
export type BuyerAnswer = z.infer<typeof buyerAnswer>;

export const buyerAnswers = z.array(buyerAnswer).check(z.maxLength(MAX_BUYER_FIELDS));

export const productKind = z.enum(['digital', 'physical']);
export type ProductKind = z.infer<typeof productKind>;

export const category = z.enum(categories);
export type Category = z.infer<typeof category>;

export const MAX_NAME_LENGTH = 200;

export const delivery = z.enum(deliveries);

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
  /** The sale runs now, by the server's clock, and has units left. */
  active: z.boolean(),
  price: dollars,
  startDate: z.nullable(timestamp),
  endDate: z.nullable(timestamp),
  limitedStock: z.nullable(z.int()),
  /** Units left at this price; null means no limit. */
  unitsLeft: z.nullable(z.int()),
});

const anyProduct = z.object({
  _id: id,
  name: z.string(),
  description: z.string(),
  /** The first of `images`. */
  image: z.string(),
  /** All pictures, in the order in which they are shown. */
  images: z.array(z.string()),
  /** The regular price; `effectivePrice` is what one unit costs now. */
  price: dollars,
  effectivePrice: dollars,
  discount: z.nullable(discount),
  flashSale: z.nullable(flashSale),
  stock: z.int(),
  /** Out of stock, but unpaid orders hold units that may come back. */
  reserved: z.boolean(),
  /** Units that a guest may hold unpaid at once; null if the shop runs without rate limits. */
  maxPerGuest: z.nullable(z.int()),
  featured: z.boolean(),
  isActive: z.boolean(),
  /** Average of the published reviews: 1 to 5 stars with one decimal, 0 without reviews. */
  rating: z.number(),
  numReviews: z.int(),
  createdAt: timestamp,
});

export const digitalProduct = z.extend(anyProduct, {
  kind: z.literal('digital'),
  category,
  delivery,
  /** Where and on what it can be activated; null if not restricted. */
  region: z.nullable(z.string()),
  platform: z.nullable(z.string()),
  /** Fields that the checkout asks the buyer to fill in. */
  buyerFields: z.array(buyerField),
  /**
   * Only for products that are delivered as a file. `file` is null until one is published. `limit` is the number of
   * downloads, `days` for how long they are allowed; each is null without a limit.
   */
  download: z.nullable(
    z.object({
      file: z.nullable(z.object({ name: z.string(), bytes: z.int() })),
      limit: z.nullable(z.int()),
      days: z.nullable(z.int()),
    }),
  ),
  deliveryInstructions: z.string(),
  /** Days after delivery in which a faulty item is replaced; 0 for none. */
  warranty: z.int(),
});
export type DigitalProduct = z.infer<typeof digitalProduct>;

/** Weight in grams and measures in millimetres of a packed unit; null if unknown. */
export const sizes = <T extends z.ZodMiniType>(size: T) => ({
  weight: z.nullable(size),
  length: z.nullable(size),
  width: z.nullable(size),
  height: z.nullable(size),
});

export const physicalProduct = z.extend(anyProduct, {
  kind: z.literal('physical'),
  category: z.string(),
  brand: z.string(),
  ...sizes(z.int()),
});
export type PhysicalProduct = z.infer<typeof physicalProduct>;

export const product = z.discriminatedUnion('kind', [digitalProduct, physicalProduct]);
export type Product = z.infer<typeof product>;

// The category of a physical product is free text.
const categoryEntry = z.object({ name: z.string(), totalStock: z.int() });
export type CategoryEntry = z.infer<typeof categoryEntry>;

const UP_TO_50_IDS = /^\b(,?\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}){1,50}$/;

export const productListQuery = z.object({
  /** Empty means all categories. */
  category: z.optional(line(100)),
  /** Empty means `featured`. */
  sort: z.optional(z.enum([...sortOptions, ''])),
  /** Part of the name, or a whole name, which a shopper may paste. */
  q: z.optional(searchText(MAX_NAME_LENGTH)),
  /** Comma-separated ids of products; a cart refreshes its prices with it. */
  ids: z.optional(z.string().check(z.regex(UP_TO_50_IDS, 'must be up to 50 ids'))),
  ...pageStart,
});
export type ProductListQuery = z.infer<typeof productListQuery>;

const productPage = <T extends z.ZodMiniType>(entry: T) =>
  z.extend(page(entry), {
    /** Null on the pages after the first. */
    total: z.nullable(z.int()),
  });

const limit = 'catalogue';
const listOf = <T extends z.ZodMiniType>(entry: T) =>
  ({ limit, query: productListQuery, output: productPage(entry) }) as const;
const oneOf = <T extends z.ZodMiniType>(entry: T) =>
  ({ limit, params: idParams, output: dataResponse(entry) }) as const;
const listOfCategories = { limit, output: listResponse(categoryEntry) } as const;

export const catalogEndpoints = {
  'GET /digital-products': forAll('Active digital products', listOf(digitalProduct)),
  'GET /digital-products/categories/list': forAll('Categories with their total stock', listOfCategories),
  'GET /digital-products/:id': forAll('One active product', oneOf(digitalProduct)),
  'GET /products': forAll('Active physical products', listOf(physicalProduct)),
  'GET /products/categories/list': forAll('Categories of physical products with their total stock', listOfCategories),
  'GET /products/:id': forAll('One active physical product', oneOf(physicalProduct)),
} as const satisfies Endpoints;
