import * as z from 'zod/mini';
import { platforms, regions } from './activation.ts';
import { buyerFields, category, delivery, digitalProduct, MAX_NAME_LENGTH, physicalProduct, sizes } from './catalog.ts';
import { dataResponse, type Endpoints, forAdmins, MAX_UPLOAD_BYTES, okResponse } from './endpoint.ts';
import { inventoryStats, lowStock, stock, stockWas } from './inventory.ts';
import { page, pageQuery } from './paging.ts';
import { discountInput, flashSaleInput, isWithinPrice, type ProductOffers, price, upTo } from './product-prices.ts';
import { draft, idParams, line, publicHost, requiredText, searchedLine, text, timestamp } from './text.ts';

const isOwnPath = (value: string) => /^\/(?!\/)[\w./%-]+$/.test(value);

const publicUrl = z.url({ hostname: publicHost });
const notImage = { error: 'must be the address of an image, as in https://…', abort: true };

/**
 * URL of a picture: https, or a path of the shop itself. Hosts of a private network are rejected: shoppers cannot load
 * such a picture, and their browsers would send requests into their own networks.
 */
const image = z.string().check(
  z.trim(),
  z.maxLength(2_000),
  // The beginning stands in the description of the call, which allows what is trimmed.
  z.regex(/^\s*(?:https:\/)?\//, notImage),
  z.refine(
    (value) => isOwnPath(value) || (/^https:\/\/[^\s\p{C}]+$/u.test(value) && z.url().safeParse(value).success),
    notImage,
  ),
  z.refine(
    (value) => isOwnPath(value) || publicUrl.safeParse(value).success,
    'must be an address that everybody can reach, not one of a private network',
  ),
);

/** `ask` rejects with SAME_NAME if an active product of the kind has the name. `allow`: confirmed, as if left out. */
const onSameName = z.optional(z.enum(['ask', 'allow']));

/** Version of the product that was edited; the edit is rejected (409 EDIT_CONFLICT) if a newer version is stored. */
const version = z.optional(z.int());

export const MAX_PICTURES = 10;

const atLeastOne = (max: number) =>
  z.int('must be a whole number').check(z.minimum(1, 'must be at least 1'), z.maximum(max, `must be at most ${max}`));

const digitalFields = z.object({
  name: searchedLine(MAX_NAME_LENGTH),
  description: requiredText(10_000),
  price,
  category,
  image,
});

const optionalFields = {
  /** All pictures in their order; the first replaces `image`. If left out, only the first picture is changed. */
  images: z.optional(z.array(image).check(z.minLength(1), z.maxLength(MAX_PICTURES))),
  featured: z.optional(z.boolean()),
  lowStock: z.optional(lowStock),
};

const optionalDigitalFields = z.partial(
  z.object({
    ...optionalFields,
    deliveryInstructions: text(5_000),
    /** Days after delivery in which a faulty item is replaced; 0 for none. */
    warranty: upTo(3_650),
    /** Where and on what it can be activated; empty if not restricted. */
    region: z.enum(['', ...regions]),
    platform: z.enum(['', ...platforms]),
    buyerFields,
    /** How many times and for how many days a buyer may download a file; null means no limit. */
    downloadLimit: z.nullable(atLeastOne(100)),
    downloadDays: z.nullable(atLeastOne(3_650)),
    /** Units that can still be sold, for products without items from stock; null means no limit. */
    stock: z.nullable(stock),
  }),
);

export const createDigitalProductBody = z.extend(digitalFields, {
  ...optionalDigitalFields.shape,
  draft,
  /** Cannot be changed later. `unique` if left out. */
  delivery: z.optional(delivery),
  /** False creates a draft, which is hidden until it is activated. */
  isActive: z.optional(z.boolean()),
  onSameName,
});
export type CreateDigitalProduct = z.infer<typeof createDigitalProductBody>;

/** Fields that are left out keep their values; null ends a discount or a flash sale. */
const changes = {
  isActive: z.optional(z.boolean()),
  discount: z.optional(z.nullable(discountInput)),
  flashSale: z.optional(z.nullable(flashSaleInput)),
  /** Undoes the deletion, as activating the product does. */
  undoDelete: z.optional(z.literal(true)),
  version,
  stockWas,
  onSameName,
};
type Offers = ProductOffers & { price?: number | undefined };
const flashSaleWithinPrice = z.refine<Offers>(({ price, flashSale }) => isWithinPrice(price, { flashSale }), {
  error: 'must not be above the regular price',
  path: ['flashSale', 'price'],
});
const discountWithinPrice = z.refine<Offers>(({ price, discount }) => isWithinPrice(price, { discount }), {
  error: 'must not be more than the regular price',
  path: ['discount', 'value'],
});

export const updateDigitalProductBody = z
  .extend(z.partial(digitalFields), { ...optionalDigitalFields.shape, ...changes })
  .check(flashSaleWithinPrice, discountWithinPrice);
export type UpdateDigitalProduct = z.infer<typeof updateDigitalProductBody>;

/** The fields of a product of either kind that only administrators see. */
const adminFields = {
  lowStock: z.int(),
  /** The product was created inactive and has never been on sale. */
  isDraft: z.boolean(),
  version: z.int(),
  /** A deleted product is inactive; activating it restores it, a digital one with its unsold items. */
  deletedAt: z.nullable(timestamp),
};

const adminDigitalProduct = z.extend(digitalProduct, {
  inventoryStats,
  /** Units that can still be sold; null without a limit and for products with items from stock. */
  unitsLeft: z.nullable(z.int()),
  ...adminFields,
});
export type AdminDigitalProduct = z.infer<typeof adminDigitalProduct>;

const adminProductsQuery = z.object({
  ...pageQuery,
  /** Active and inactive products if left out. */
  status: z.optional(z.enum(['active', 'inactive'])),
});
const adminDigitalProductsQuery = z.extend(adminProductsQuery, { delivery: z.optional(delivery) });
export type AdminProductsQuery = z.infer<typeof adminDigitalProductsQuery>;

/** Numbers of all products of the kind, regardless of search and filter. */
const counts = z.object({ active: z.int(), inactive: z.int() });
const adminPhysicalProduct = z.extend(physicalProduct, adminFields);
export type AdminPhysicalProduct = z.infer<typeof adminPhysicalProduct>;

const physicalFields = z.object({
  name: digitalFields.shape.name,
  image,
  price,
  description: text(10_000),
  brand: line(100),
  category: searchedLine(100),
  stock,
  isActive: z.boolean(),
});

const size = atLeastOne(100_000);
const optionalPhysicalFields = z.partial(z.object({ ...optionalFields, ...sizes(size) }));

export const createPhysicalProductBody = z.extend(physicalFields, {
  ...optionalPhysicalFields.shape,
  draft,
  onSameName,
});
export type CreatePhysicalProduct = z.infer<typeof createPhysicalProductBody>;
export const updatePhysicalProductBody = z
  .extend(z.partial(physicalFields), { ...optionalPhysicalFields.shape, ...changes })
  .check(flashSaleWithinPrice, discountWithinPrice);
export type UpdatePhysicalProduct = z.infer<typeof updatePhysicalProductBody>;

const managedList = <T extends z.ZodMiniType<object>, Q extends z.ZodMiniType>(query: Q, entry: T) =>
  ({ query, output: z.extend(page(entry), { counts }) }) as const;
const creates = { status: 201, errors: ['SAME_NAME'] } as const;
const changesOne = { params: idParams, errors: ['EDIT_CONFLICT', 'SAME_NAME'] } as const;
const digitalOutput = { output: dataResponse(adminDigitalProduct) };
const physicalOutput = { output: dataResponse(adminPhysicalProduct) };

export const productEndpoints = {
  'GET /admin/digital-products': forAdmins(
    'Digital products, active and inactive, newest first',
    managedList(adminDigitalProductsQuery, adminDigitalProduct),
  ),
  'GET /admin/digital-products/:id': forAdmins('One digital product', { params: idParams, ...digitalOutput }),
  'POST /digital-products': forAdmins('Put a new digital product on sale', {
    body: createDigitalProductBody,
    ...creates,
    ...digitalOutput,
  }),
  'PUT /digital-products/:id': forAdmins('Change a digital product; 409 when it was changed since `version` was read', {
    body: updateDigitalProductBody,
    ...changesOne,
    ...digitalOutput,
  }),
  'DELETE /digital-products/:id': forAdmins(
    'Take a digital product off sale and withdraw its unsold items; what was sold stays with its buyers',
    { params: idParams, output: okResponse },
  ),
  'GET /admin/products': forAdmins(
    'Physical products, newest first',
    managedList(adminProductsQuery, adminPhysicalProduct),
  ),
  'GET /admin/products/:id': forAdmins('One physical product', { params: idParams, ...physicalOutput }),
  'POST /admin/products': forAdmins('Add a physical product', {
    body: createPhysicalProductBody,
    ...creates,
    ...physicalOutput,
  }),
  'PUT /admin/products/:id': forAdmins('Change a physical product; 409 when it was changed since `version` was read', {
    body: updatePhysicalProductBody,
    ...changesOne,
    ...physicalOutput,
  }),
  'DELETE /admin/products/:id': forAdmins('Mark a physical product inactive', { params: idParams, output: okResponse }),
  'POST /admin/images': forAdmins('Store a picture (PNG, JPEG or WebP), re-encoded and resized', {
    upload: ['image/png', 'image/jpeg', 'image/webp'],
    bodyLimit: MAX_UPLOAD_BYTES,
    status: 201,
    errors: ['IMAGE_REFUSED'],
    output: dataResponse(
      z.object({
        /** Path at which the shop serves the picture, for the `image` of a product. */
        url: z.string(),
        width: z.int(),
        height: z.int(),
      }),
    ),
  }),
} as const satisfies Endpoints;
