import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAdmins, forAll, okResponse } from './endpoint.ts';
import { reason } from './inventory.ts';
import { requiredLine, timestamp } from './text.ts';

export const DEFAULT_CLOSED_MESSAGE =
  'The shop takes no new orders at the moment. What you have paid for is delivered. Please come back later.';

/** The message in cart and checkout while the shop is closed. */
export const closedText = requiredLine(300);

const closedShop = z.object({ since: timestamp, reason: z.string(), message: z.string() });

export const closingEndpoints = {
  'GET /shop/closed': forAll('What buyers read while the shop takes no new payments; null while it is open', {
    limit: 'catalogue',
    output: dataResponse(z.object({ text: z.nullable(z.string()) })),
  }),
  'GET /admin/shop/closed': forAdmins('Since when and why the shop is closed; null while it is open', {
    output: dataResponse(z.nullable(closedShop)),
  }),
  'POST /admin/shop/close': forAdmins('Let no new payment begin; what is paid is still delivered', {
    body: z.object({ reason, message: z.optional(closedText) }),
    output: okResponse,
  }),
  'POST /admin/shop/open': forAdmins('Take payments again', { body: z.object({ reason }), output: okResponse }),
} as const satisfies Endpoints;
