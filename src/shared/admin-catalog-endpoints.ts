import * as z from 'zod/mini';
import {
  adminDigitalProduct,
  adminDigitalProductsPage,
  adminProductsQuery,
  createDigitalProductBody,
  createPhysicalProductBody,
  physicalProduct,
  physicalProductsPage,
  updateDigitalProductBody,
  updatePhysicalProductBody,
  uploadedImage,
} from './admin-catalog.ts';
import { dataResponse, type Endpoints, okResponse } from './endpoint.ts';
import {
  addInventoryAnswer,
  addInventoryBody,
  inventory,
  inventoryQuery,
  revealedItem,
  revealItemBody,
  voidItemBody,
} from './inventory.ts';
import { id } from './text.ts';

const params = z.object({ id });
const itemParams = z.object({ id, itemId: id });

const UPLOAD_LIMIT_BYTES = 10 * 1024 * 1024;

/** The part of the contract with which administrators run the catalogue and the stock. */
export const adminCatalogEndpoints = {
  'GET /admin/digital-products': {
    access: 'admin',
    summary: 'Digital products, active and inactive, newest first',
    query: adminProductsQuery,
    output: adminDigitalProductsPage,
  },
  'GET /admin/digital-products/:id': {
    access: 'admin',
    summary: 'One digital product as it stands now',
    params,
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
    params,
    body: updateDigitalProductBody,
    errors: ['EDIT_CONFLICT', 'SAME_NAME'],
    output: dataResponse(adminDigitalProduct),
  },
  'DELETE /digital-products/:id': {
    access: 'admin',
    summary:
      'Take a digital product off sale and withdraw its unsold items; what was sold stays with its buyers',
    params,
    output: okResponse,
  },
  'POST /digital-products/:id/inventory': {
    access: 'admin',
    summary: 'Put secrets on sale, or only report what would become of them',
    params,
    body: addInventoryBody,
    bodyLimit: UPLOAD_LIMIT_BYTES,
    output: dataResponse(addInventoryAnswer),
  },
  'GET /digital-products/:id/inventory': {
    access: 'admin',
    summary: 'Counts, and the items masked, newest first',
    params,
    query: inventoryQuery,
    output: z.extend(dataResponse(inventory), { nextCursor: z.nullable(z.string()) }),
  },
  'POST /digital-products/:id/inventory/:itemId/void': {
    access: 'admin',
    summary: 'Take an unsold item out of the stock for good',
    params: itemParams,
    body: voidItemBody,
    errors: ['ITEM_NOT_AVAILABLE'],
    output: okResponse,
  },
  'POST /digital-products/:id/inventory/:itemId/reveal': {
    access: 'admin',
    summary: 'Read one secret, with a fresh two-factor code and a reason, on record',
    params: itemParams,
    body: revealItemBody,
    errors: ['TWO_FACTOR_NOT_SET_UP', 'INVALID_CODE'],
    output: dataResponse(revealedItem),
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
    params,
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
    params,
    body: updatePhysicalProductBody,
    errors: ['EDIT_CONFLICT', 'SAME_NAME'],
    output: dataResponse(physicalProduct),
  },
  'DELETE /admin/products/:id': {
    access: 'admin',
    summary: 'Mark a physical product inactive',
    params,
    output: okResponse,
  },
  'POST /admin/images': {
    access: 'admin',
    summary: 'Store a picture (PNG, JPEG or WebP), re-encoded and resized',
    upload: ['image/png', 'image/jpeg', 'image/webp'],
    bodyLimit: UPLOAD_LIMIT_BYTES,
    status: 201,
    errors: ['IMAGE_REFUSED'],
    output: dataResponse(uploadedImage),
  },
} as const satisfies Endpoints;
