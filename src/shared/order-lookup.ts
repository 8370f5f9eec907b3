import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAll } from './endpoint.ts';
import { downloadGrant } from './files.ts';
import { orderPage } from './order-page.ts';
import { deliveredItems } from './orders.ts';
import { receipt } from './receipts.ts';
import { email, id } from './text.ts';

export const LOOKUP_CODE_LENGTH = 6;

/** What a buyer without a password knows: the e-mail of the order, and the order number in the mail. */
export const orderLookupBody = z.object({
  email,
  orderNumber: z
    .string()
    .check(z.trim(), z.toUpperCase(), z.regex(/^#?[0-9A-F]{8}$/, 'must be the 8 characters of an order number')),
});

/** The order with its receipts and delivered items; `delivered` is null if there are none to show. */
const openedOrder = z.object({ order: orderPage, receipts: z.array(receipt), delivered: z.nullable(deliveredItems) });
export type OpenedOrder = z.infer<typeof openedOrder>;

export const orderLookupEndpoints = {
  'POST /order-lookup/guest': forAll(
    'Mail a one-time code for an order; the response is the same whether or not the order exists',
    {
      body: orderLookupBody,
      errors: ['RATE_LIMITED'],
      /** The response is the same whether or not the order exists; a code is mailed only if it does. */
      output: dataResponse(z.object({ lookupId: id })),
    },
  ),
  'POST /order-lookup/guest/open': forAll('Open that order with the code', {
    body: z.object({
      lookupId: id,
      code: z
        .string()
        .check(
          z.trim(),
          z.regex(new RegExp(`^[0-9]{${LOOKUP_CODE_LENGTH}}$`), `Please enter a ${LOOKUP_CODE_LENGTH}-digit code`),
        ),
    }),
    errors: ['INVALID_CODE', 'RATE_LIMITED'],
    output: dataResponse(openedOrder),
  }),
  'POST /order-lookup/guest/download': forAll('Let the browser that opened an order download one of its files', {
    body: z.object({ itemId: id }),
    errors: ['NOT_FOUND', 'ITEM_NOT_AVAILABLE', 'ITEM_FROZEN', 'RATE_LIMITED'],
    output: dataResponse(downloadGrant),
  }),
} as const satisfies Endpoints;
