import * as z from 'zod/mini';
import { category, digitalProduct } from './catalog.ts';
import { dataResponse, type Endpoints, MAX_UPLOAD_BYTES, okResponse } from './endpoint.ts';
import { inventoryStats } from './inventory.ts';
import { page, pageQuery } from './paging.ts';
import { discountInput, flashSaleInput, isWithinPrice, price, upTo } from './product-prices.ts';
import { publicHost } from './public-host.ts';
import { dollars, id, idParams, line, requiredLine, requiredText, text, timestamp } from './text.ts';

const isOwnPath = (value: string) => /^\/(?!\/)[\w./%-]+$/.test(value);

const publicUrl = z.url({ hostname: publicHost });

/**
 * A picture: an https address, or one that the shop itself serves (an upload, a demo cover); no spaces or control characters.
 * An address of a private network is refused: shoppers cannot load it, and it would make their browsers ask inside their own.
 */
const image = z.string().check(
  z.trim(),
  z.maxLength(2_000),
  z.refine(
    (value) => isOwnPath(value) || (/^https:\/\/[^\s\p{C}]+$/u.test(value) && z.url().safeParse(value).success),
    { error: 'must be the address of an image, as in https://…', abort: true },
  ),
  z.refine(
    (value) => isOwnPath(value) || publicUrl.safeParse(value).success,
    'must be an address that everybody can reach, not one of a private network',
  ),
);

/**
 * `ask`: refused with SAME_NAME when another product on sale has the name. `allow`: the administrator was asked, and wants
 * it. Without it nobody is asked.
 */
const onSameName = z.optional(z.enum(['ask', 'allow']));

/** Which state of a thing an edit was made from: a newer one refuses it (409 EDIT_CONFLICT). Sent by the dashboard always. */
const version = z.optional(z.int());

const productFields = {
  name: requiredLine(200),
  description: requiredText(10_000),
  price,
  category,
  image,
  deliveryInstructions: text(5_000),
  featured: z.boolean(),
  /** Days after delivery in which a faulty item is replaced; 0 for none. */
  warranty: upTo(3_650),
};

export const createDigitalProductBody = z.extend(
  z.partial(
    z.object({
      /** Chosen once by the form that is filled in: sent again, as by a second press, it makes no second product. */
      draft: id,
      deliveryInstructions: productFields.deliveryInstructions,
      featured: productFields.featured,
      warranty: productFields.warranty,
    }),
  ),
  {
    name: productFields.name,
    description: productFields.description,
    price: productFields.price,
    category: productFields.category,
    image: productFields.image,
    onSameName,
  },
);

export type CreateDigitalProduct = z.infer<typeof createDigitalProductBody>;

/** Fields that are left out stay as they are; null ends a discount or a flash sale. */
const changes = {
  isActive: z.optional(z.boolean()),
  discount: z.optional(z.nullable(discountInput)),
  flashSale: z.optional(z.nullable(flashSaleInput)),
  version,
  onSameName,
};
type Offers = { price?: number | undefined } & Parameters<typeof isWithinPrice>[1];
const flashSaleWithinPrice = z.refine<Offers>(({ price, flashSale }) => isWithinPrice(price, { flashSale }), {
  error: 'must not be above the regular price',
  path: ['flashSale', 'price'],
});
const discountWithinPrice = z.refine<Offers>(({ price, discount }) => isWithinPrice(price, { discount }), {
  error: 'must not be more than the regular price',
  path: ['discount', 'value'],
});

export const updateDigitalProductBody = z
  .extend(z.partial(z.object(productFields)), changes)
  .check(flashSaleWithinPrice, discountWithinPrice);
export type UpdateDigitalProduct = z.infer<typeof updateDigitalProductBody>;

export const adminDigitalProduct = z.extend(digitalProduct, {
  inventoryStats,
  version: z.int(),
  /** Deleted products are inactive; activating one brings it back, without the items that were withdrawn. */
  deletedAt: z.nullable(timestamp),
});

export type AdminDigitalProduct = z.infer<typeof adminDigitalProduct>;

export const adminProductsQuery = z.object({
  ...pageQuery,
  /** Both kinds, where it is left out. */
  status: z.optional(z.enum(['active', 'inactive'])),
});

export type AdminProductsQuery = z.infer<typeof adminProductsQuery>;

/** All products of the kind, whatever is searched for. */
const counts = z.object({ active: z.int(), inactive: z.int() });
const adminDigitalProductsPage = z.extend(page(adminDigitalProduct), { counts });

export const physicalProduct = z.object({
  _id: id,
  name: z.string(),
  description: z.string(),
  brand: z.string(),
  category: z.string(),
  image: z.string(),
  price: dollars,
  effectivePrice: dollars,
  discount: digitalProduct.shape.discount,
  flashSale: digitalProduct.shape.flashSale,
  stock: z.int(),
  /** Stars from 1 to 5 with one decimal; 0 while nobody has reviewed it. */
  rating: z.number(),
  numReviews: z.int(),
  isActive: z.boolean(),
  version: z.int(),
  deletedAt: z.nullable(timestamp),
  createdAt: timestamp,
});

export type PhysicalProduct = z.infer<typeof physicalProduct>;
const physicalProductsPage = z.extend(page(physicalProduct), { counts });

const physicalFields = {
  name: requiredLine(200),
  description: text(10_000),
  brand: line(100),
  category: requiredLine(100),
  image,
  price,
  stock: z.int().check(z.minimum(0), z.maximum(1_000_000)),
  isActive: z.boolean(),
};

/** `draft` as of a digital product. */
export const createPhysicalProductBody = z.object({ ...physicalFields, draft: z.optional(id), onSameName });

export type CreatePhysicalProduct = z.infer<typeof createPhysicalProductBody>;
export const updatePhysicalProductBody = z
  .extend(z.partial(z.object(physicalFields)), changes)
  .check(flashSaleWithinPrice, discountWithinPrice);
export type UpdatePhysicalProduct = z.infer<typeof updatePhysicalProductBody>;

const uploadedImage = z.object({
  /** Where the shop serves it, for a product's `image`. */
  url: z.string(),
  width: z.int(),
  height: z.int(),
});

/** How administrators run the catalogue. */
export const productEndpoints = {
  'GET /admin/digital-products': {
    access: 'admin',
    summary: 'Digital products, active and inactive, newest first',
    query: adminProductsQuery,
    output: adminDigitalProductsPage,
  },
  'GET /admin/digital-products/:id': {
    access: 'admin',
    summary: 'One digital product as it stands now',
    params: idParams,
    output: dataResponse(adminDigitalProduct),
  },
  'POST /digital-products': {
    access: 'admin',
    summary: 'Put a new digital product on sale',
    body: createDigitalProductBody,
    status: 201,
    errors: ['SAME_NAME'],
    output: dataResponse(adminDigitalProduct),
  },
  'PUT /digital-products/:id': {
    access: 'admin',
    summary: 'Change a digital product; 409 when it was changed since `version` was read',
    params: idParams,
    body: updateDigitalProductBody,
    errors: ['EDIT_CONFLICT', 'SAME_NAME'],
    output: dataResponse(adminDigitalProduct),
  },
  'DELETE /digital-products/:id': {
    access: 'admin',
    summary: 'Take a digital product off sale and withdraw its unsold items; what was sold stays with its buyers',
    params: idParams,
    output: okResponse,
  },
  'GET /admin/products': {
    access: 'admin',
    summary: 'Physical products, newest first',
    query: adminProductsQuery,
    output: physicalProductsPage,
  },
  'GET /admin/products/:id': {
    access: 'admin',
    summary: 'One physical product',
    params: idParams,
    output: dataResponse(physicalProduct),
  },
  'POST /admin/products': {
    access: 'admin',
    summary: 'Add a physical product',
    body: createPhysicalProductBody,
    status: 201,
    errors: ['SAME_NAME'],
    output: dataResponse(physicalProduct),
  },
  'PUT /admin/products/:id': {
    access: 'admin',
    summary: 'Change a physical product; 409 when it was changed since `version` was read',
    params: idParams,
    body: updatePhysicalProductBody,
    errors: ['EDIT_CONFLICT', 'SAME_NAME'],
    output: dataResponse(physicalProduct),
  },
  'DELETE /admin/products/:id': {
    access: 'admin',
    summary: 'Mark a physical product inactive',
    params: idParams,
    output: okResponse,
  },
  'POST /admin/images': {
    access: 'admin',
    summary: 'Store a picture (PNG, JPEG or WebP), re-encoded and resized',
    upload: ['image/png', 'image/jpeg', 'image/webp'],
    bodyLimit: MAX_UPLOAD_BYTES,
    status: 201,
    errors: ['IMAGE_REFUSED'],
    output: dataResponse(uploadedImage),
  },
} as const satisfies Endpoints;
