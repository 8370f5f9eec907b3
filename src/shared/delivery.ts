import * as z from 'zod/mini';
import { changesOrder } from './admin-orders.ts';
import { dataResponse, type Endpoints, forAdmins } from './endpoint.ts';
import { revealsSecret, uploadedItem } from './inventory.ts';
import { draft, id, idParams, timestamp } from './text.ts';

/** The version of a shared product's content; null until content is set, and then the product is not on sale. */
const sharedContent = z.nullable(z.object({ version: z.int(), updatedAt: timestamp }));
export type SharedContent = z.infer<typeof sharedContent>;

const content = uploadedItem.check(z.minLength(1, 'Please enter what is delivered'));

export const deliveryEndpoints = {
  'GET /digital-products/:id/content': forAdmins('Which content every buyer of a shared product gets, without it', {
    params: idParams,
    output: dataResponse(sharedContent),
  }),
  'PUT /digital-products/:id/content': forAdmins('Set the content that every buyer of a shared product gets', {
    params: idParams,
    body: z.object({
      content,
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
  'POST /admin/orders/:id/deliver-unit': forAdmins('Deliver a unit that waits for a person', {
    ...changesOrder,
    body: z.object({
      line: id,
      /** Number of the unit in its line, from 1. */
      unit: z.int().check(z.minimum(1)),
      content,
      draft,
    }),
    errors: ['TRANSITION_REFUSED', 'ITEM_FROZEN'],
  }),
} as const satisfies Endpoints;
