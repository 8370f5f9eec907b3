import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAdmins, MAX_UPLOAD_BYTES, okResponse } from './endpoint.ts';
import { pageStart } from './paging.ts';
import { upTo } from './product-prices.ts';
import { id, idParams, isVisible, requiredLine, text, timestamp } from './text.ts';
import { typedCode } from './two-factor.ts';

/** Units of counted goods. */
export const stock = upTo(1_000_000);

/**
 * The stock that the form showed: `stock` then changes the current stock by the difference, so that units sold since
 * stay sold. If null (the form showed no limit) or left out, `stock` replaces the current stock.
 */
export const stockWas = z.optional(z.nullable(z.int().check(z.minimum(0))));

/** Default threshold: a product is low on stock when this many units or fewer are left. */
export const LOW_STOCK = 9;
export const lowStock = upTo(1_000);

export const MAX_ITEMS_PER_UPLOAD = 100_000;
export const MAX_ITEM_LENGTH = 4_000;

export const itemState = z.enum(['available', 'held', 'allocated', 'sold', 'quarantined', 'burnt', 'voided']);
export type ItemState = z.infer<typeof itemState>;

// Stands for bytes that are not UTF-8, so the secret itself is lost.
const LOST_CHARACTER = '\ufffd';
const lost = 'contains a character that cannot be read: please send it in UTF-8';

// Web pages, spreadsheets and chats add invisible characters, e.g. zero-width spaces and marks of the direction, which
// `trim` keeps, and which no activation accepts. Matches only a whole run of blanks; otherwise the time would be quadratic
// in the length of a run.
const BLANK = '[\\s\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]';
const BLANK_ENDS = new RegExp(`^${BLANK}+|(?<!${BLANK})${BLANK}+$`, 'g');
const withoutBlankEnds = (item: string) => (isVisible(item) ? item.replaceAll(BLANK_ENDS, '') : '');

/**
 * One secret: a key, a licence, credentials; empty if none of its characters is visible. Its lines end as a browser ends
 * them, because files end them in other ways, and the same secret must not be sold twice.
 */
export const uploadedItem = text(MAX_ITEM_LENGTH).check(
  z.refine((item) => !item.includes(LOST_CHARACTER), lost),
  z.overwrite((item) => withoutBlankEnds(item).replaceAll(/\r\n?/g, '\n')),
);

const inventoryReport = z.object({
  new: z.int(),
  /** Lines that repeat an earlier line of the upload. */
  doubled: z.int(),
  /** Items that the shop already has, for any product, without those counted in `withdrawn`. */
  known: z.int(),
  /** Withdrawn items of any product that nobody has read: they can be put on sale again. */
  withdrawn: z.int(),
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
  /** A buyer or an administrator has read the item: once withdrawn, it is never sold again. */
  wasRead: z.boolean(),
  /** The buyer has reported that the item does not work: it is never sold again. */
  wasReported: z.boolean(),
  /** Set aside by a restore: it may have been sold since the backup. It returns only by a list the owner signs off. */
  isSetAside: z.boolean(),
  order: z.nullable(id),
  voidReason: z.nullable(z.string()),
});
export type InventoryItem = z.infer<typeof inventoryItem>;

/** An item of any product. */
const foundItem = z.extend(inventoryItem, { product: z.object({ _id: id, name: z.string() }) });
export type FoundItem = z.infer<typeof foundItem>;

export const inventory = z.object({ stats: inventoryStats, items: z.array(inventoryItem) });
export type Inventory = z.infer<typeof inventory>;

export const reason = requiredLine(300);

/** A call by which an administrator reads a secret. */
export const revealsSecret = {
  body: z.object({ reason, code: typedCode }),
  errors: ['TWO_FACTOR_NOT_SET_UP', 'INVALID_CODE'],
  output: dataResponse(z.object({ content: z.string() })),
} as const;

const itemParams = z.object({ id, itemId: id });
const changesItem = { params: itemParams, errors: ['ITEM_NOT_AVAILABLE'], output: okResponse } as const;

export const inventoryEndpoints = {
  'POST /digital-products/:id/inventory': forAdmins('Add secrets to the stock, or only report what would be added', {
    params: idParams,
    body: z.object({
      items: z.array(uploadedItem).check(
        z.minLength(1, 'Please add at least one inventory item'),
        z.maxLength(MAX_ITEMS_PER_UPLOAD),
        z.refine((items) => items.some((item) => item !== ''), 'Please add at least one inventory item'),
      ),
      /** Reports the result without storing anything. */
      dryRun: z.optional(z.boolean()),
      /** Reason to put withdrawn items among them on sale again for this product; if left out, they stay withdrawn. */
      restoreReason: z.optional(reason),
    }),
    bodyLimit: MAX_UPLOAD_BYTES,
    errors: ['ITEM_NOT_AVAILABLE'],
    output: dataResponse(z.object({ report: inventoryReport, stats: inventoryStats })),
  }),
  'GET /digital-products/:id/inventory': forAdmins('Counts, and the items masked, newest first', {
    params: idParams,
    query: z.object({ ...pageStart, state: z.optional(itemState) }),
    output: z.extend(dataResponse(inventory), { nextCursor: z.nullable(z.string()) }),
  }),
  'POST /admin/inventory/search': forAdmins(
    'The item with exactly this secret; the secret is compared by its fingerprint and not stored',
    {
      body: z.object({ content: uploadedItem.check(z.minLength(1, 'Please enter a key')) }),
      errors: ['RATE_LIMITED'],
      output: dataResponse(z.object({ item: z.nullable(foundItem) })),
    },
  ),
  'POST /digital-products/:id/inventory/:itemId/void': forAdmins('Take an unsold item out of the stock', {
    ...changesItem,
    body: z.object({ reason }),
  }),
  'POST /digital-products/:id/inventory/:itemId/undo-void': forAdmins(
    'Undo the voiding of an item; an item that somebody has read does not go on sale',
    changesItem,
  ),
  'POST /digital-products/:id/inventory/:itemId/restore': forAdmins(
    'Put an item on sale again that was withdrawn or given back and that nobody has read',
    { ...changesItem, body: z.object({ reason }) },
  ),
  'POST /digital-products/:id/inventory/:itemId/move': forAdmins(
    'Put an unsold item that nobody has read on sale as one of another product, encrypted anew for it',
    { ...changesItem, body: z.object({ reason, product: id }) },
  ),
  'POST /digital-products/:id/inventory/:itemId/reveal': forAdmins(
    'Read one secret, with a fresh two-factor code and a reason, on record',
    { params: itemParams, ...revealsSecret },
  ),
} as const satisfies Endpoints;
