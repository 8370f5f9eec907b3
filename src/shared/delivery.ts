import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAdmins, forCustomers, listResponse, okResponse } from './endpoint.ts';
import { formatBytes } from './format.ts';
import { revealsSecret, uploadedItem } from './inventory.ts';
import { id, idParams, requiredLine, timestamp } from './text.ts';

/** The version of a shared product's content; null until content is set, and then the product is not on sale. */
const sharedContent = z.nullable(z.object({ version: z.int(), updatedAt: timestamp }));
export type SharedContent = z.infer<typeof sharedContent>;

export const deliveredContent = uploadedItem.check(z.minLength(1, 'Please enter what is delivered'));

export const MAX_FILE_BYTES = 200 * 1024 * 1024;

/** A file is uploaded in pieces of this size, one per request; only the last piece may be smaller. */
export const PIECE_BYTES = 2 * 1024 * 1024;

const MAX_FILE_NAME = 200;

const fileName = requiredLine(MAX_FILE_NAME).check(
  z.refine((name) => !/[\\/\p{C}]/u.test(name) && !/^\.+$/.test(name), 'must be the name of a file'),
);

const mediaType = z.string().check(z.toLowerCase(), z.regex(/^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,100}$/i));

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'));

const fileVersion = z.object({
  _id: id,
  /** Counts from 1. */
  version: z.int(),
  name: z.string(),
  bytes: z.int(),
  /** In hexadecimal. */
  sha256: z.string(),
  publishedAt: timestamp,
  /** The newest version, which every buyer downloads. */
  isCurrent: z.boolean(),
  /** Whether earlier buyers are notified of this version by mail. */
  tellsBuyers: z.boolean(),
});
export type FileVersion = z.infer<typeof fileVersion>;

export const downloadGrant = z.object({
  /** Works only in the browser that got it, because it needs the cookie of the same response. */
  url: z.string(),
  expiresAt: timestamp,
  /** Null without a limit. */
  downloadsLeft: z.nullable(z.int()),
});

const uploadParams = z.object({ id, fileId: id });

export const deliveryEndpoints = {
  'GET /digital-products/:id/content': forAdmins('Which content every buyer of a shared product gets, without it', {
    params: idParams,
    output: dataResponse(sharedContent),
  }),
  'PUT /digital-products/:id/content': forAdmins('Set the content that every buyer of a shared product gets', {
    params: idParams,
    body: z.object({
      content: deliveredContent,
      /** The version that is replaced, 0 for none; the call is rejected (409 EDIT_CONFLICT) if another one is stored. */
      version: z.optional(z.int()),
    }),
    errors: ['EDIT_CONFLICT'],
    output: dataResponse(sharedContent),
  }),
  'POST /digital-products/:id/content/reveal': forAdmins(
    'Read that content, with a fresh two-factor code and a reason, on record',
    { params: idParams, ...revealsSecret },
  ),
  'GET /digital-products/:id/files': forAdmins('The versions of a product’s file, newest first', {
    params: idParams,
    output: listResponse(fileVersion),
  }),
  'POST /digital-products/:id/files': forAdmins('Begin to upload a new version; an unfinished upload is deleted', {
    params: idParams,
    body: z.object({
      name: fileName,
      mediaType,
      bytes: z
        .int()
        .check(
          z.minimum(1, 'The file is empty'),
          z.maximum(MAX_FILE_BYTES, `The file must have at most ${formatBytes(MAX_FILE_BYTES)}`),
        ),
    }),
    status: 201,
    output: dataResponse(z.object({ _id: id, pieces: z.int(), pieceBytes: z.int() })),
  }),
  'PUT /digital-products/:id/files/:fileId/pieces/:piece': forAdmins(
    'One piece of the file, counted from 0; a repeated piece replaces the earlier one',
    {
      params: z.extend(uploadParams, { piece: z.coerce.number('must be a number').check(z.int(), z.minimum(0)) }),
      query: z.object({ sha256 }),
      upload: ['application/octet-stream'],
      bodyLimit: PIECE_BYTES,
      output: okResponse,
    },
  ),
  'POST /digital-products/:id/files/:fileId/publish': forAdmins(
    'Publish this version; rejected while a piece is missing; safe to repeat',
    {
      params: uploadParams,
      /** `tellBuyers`: earlier buyers are notified by mail, each once. */
      body: z.object({ tellBuyers: z.optional(z.boolean()) }),
      output: dataResponse(fileVersion),
    },
  ),
  'POST /digital-orders/:orderId/items/:itemId/download': forCustomers(
    'Let this session download one of my files for 24 hours, which counts as one download',
    {
      params: z.object({ orderId: id, itemId: id }),
      errors: ['ITEM_NOT_AVAILABLE', 'ITEM_FROZEN', 'RATE_LIMITED'],
      output: dataResponse(downloadGrant),
    },
  ),
} as const satisfies Endpoints;
