import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forCustomers } from './endpoint.ts';
import { card, order } from './orders.ts';
import { receiptSummary } from './receipts.ts';
import { id, timestamp } from './text.ts';

/** Something that happened to an order, in words for its buyer; never a secret. */
const orderStep = z.object({
  at: timestamp,
  kind: z.enum([
    'placed',
    'paid',
    'delivered',
    'shipped',
    'replaced',
    'refund-started',
    'refunded',
    'cancelled',
    'disputed',
    'frozen',
    'unfrozen',
  ]),
  text: z.string(),
});
export type OrderStep = z.infer<typeof orderStep>;

/** All that a buyer may know of an order, without its secrets. */
export const orderPage = z.extend(order, {
  /** That paid; null where the provider has not told it. */
  card: z.nullable(card),
  /** The receipt, which is made within seconds of the payment, and its credit notes. */
  receipts: z.array(receiptSummary),
  /** Its buyer may cancel it: nothing was shipped, seen or refunded. */
  cancellable: z.boolean(),
  /** Oldest first. */
  timeline: z.array(orderStep),
});
export type OrderPage = z.infer<typeof orderPage>;

export const orderPageEndpoints = {
  'GET /orders/mine/:orderId': forCustomers('One of my orders, of either type, with all that happened to it', {
    params: z.object({ orderId: id }),
    output: dataResponse(orderPage),
  }),
  'POST /orders/mine/:orderId/cancel': forCustomers('Cancel one of my orders of which nothing is shipped or seen', {
    params: z.object({ orderId: id }),
    errors: ['TRANSITION_REFUSED', 'ITEM_FROZEN'],
    output: dataResponse(orderPage),
  }),
} as const satisfies Endpoints;
