import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAdmins, MAX_UPLOAD_BYTES, okResponse } from './endpoint.ts';
import { pageQuery } from './paging.ts';
import { id, idParams, requiredLine, text, timestamp } from './text.ts';

export const MAX_ITEMS_PER_UPLOAD = 100_000;
export const MAX_ITEM_LENGTH = 4_000;

export const itemState = z.enum(['available', 'held', 'allocated', 'sold', 'quarantined', 'burnt', 'voided']);
export type ItemState = z.infer<typeof itemState>;

/** One secret, trimmed: a key, a licence, credentials. */
export const uploadedItem = text(MAX_ITEM_LENGTH);

const inventoryReport = z.object({
  new: z.int(),
  /** The same as an earlier line of the upload. */
  doubled: z.int(),
  /** In the shop already, in any state and of any product. */
  known: z.int(),
  empty: z.int(),
});
export type InventoryReport = z.infer<typeof inventoryReport>;

export const inventoryStats = z.object({ total: z.int(), available: z.int(), sold: z.int() });

const inventoryItem = z.object({
  _id: id,
  masked: z.string(),
  state: itemState,
  addedAt: timestamp,
  deliveredAt: z.nullable(timestamp),
  viewed: z.boolean(),
  order: z.nullable(id),
  voidReason: z.nullable(z.string()),
});
export type InventoryItem = z.infer<typeof inventoryItem>;

export const inventory = z.object({ stats: inventoryStats, items: z.array(inventoryItem) });
export type Inventory = z.infer<typeof inventory>;

export const reason = requiredLine(300);

const itemParams = z.object({ id, itemId: id });

export const inventoryEndpoints = {
  'POST /digital-products/:id/inventory': forAdmins('Put secrets on sale, or only report what would become of them', {
    params: idParams,
    body: z.object({
      items: z.array(uploadedItem).check(
        z.maxLength(MAX_ITEMS_PER_UPLOAD),
        z.refine((items) => items.some((item) => item !== ''), 'Please add at least one inventory item'),
      ),
      /** Only reports what would happen. */
      dryRun: z.optional(z.boolean()),
    }),
    bodyLimit: MAX_UPLOAD_BYTES,
    output: dataResponse(z.object({ report: inventoryReport, stats: inventoryStats })),
  }),
  'GET /digital-products/:id/inventory': forAdmins('Counts, and the items masked, newest first', {
    params: idParams,
    query: z.object({
      limit: pageQuery.limit,
      /** The last item of the page before. */
      cursor: z.optional(id),
      state: z.optional(itemState),
    }),
    output: z.extend(dataResponse(inventory), { nextCursor: z.nullable(z.string()) }),
  }),
  'POST /digital-products/:id/inventory/:itemId/void': forAdmins('Take an unsold item out of the stock for good', {
    params: itemParams,
    body: z.object({ reason }),
    errors: ['ITEM_NOT_AVAILABLE'],
    output: okResponse,
  }),
  'POST /digital-products/:id/inventory/:itemId/reveal': forAdmins(
    'Read one secret, with a fresh two-factor code and a reason, on record',
    {
      params: itemParams,
      body: z.object({ reason, code: requiredLine(100) }),
      errors: ['TWO_FACTOR_NOT_SET_UP', 'INVALID_CODE'],
      output: dataResponse(z.object({ content: z.string() })),
    },
  ),
} as const satisfies Endpoints;
