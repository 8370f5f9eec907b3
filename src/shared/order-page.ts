import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forCustomers } from './endpoint.ts';
import { card, order, orderParams } from './orders.ts';
import { receiptSummary } from './receipts.ts';
import { timestamp } from './text.ts';

/** An event of an order, described for its buyer; never contains a secret. */
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

/** Everything that a buyer may know about an order, except its secrets. */
export const orderPage = z.extend(order, {
  /** The card that paid; null if the provider did not name it. */
  card: z.nullable(card),
  /** The receipt, which is issued within seconds after the payment, and the credit notes. */
  receipts: z.array(receiptSummary),
  /** Whether the buyer may cancel the order: nothing was shipped, seen, refunded or delivered by a person. */
  cancellable: z.boolean(),
  /** Oldest first. */
  timeline: z.array(orderStep),
});
export type OrderPage = z.infer<typeof orderPage>;

export const orderPageEndpoints = {
  'GET /orders/mine/:orderId': forCustomers('One of my orders, of either type, with its timeline', {
    params: orderParams,
    output: dataResponse(orderPage),
  }),
  'POST /orders/mine/:orderId/cancel': forCustomers('Cancel one of my orders, if nothing of it was shipped or seen', {
    params: orderParams,
    errors: ['TRANSITION_REFUSED', 'ITEM_FROZEN', 'RATE_LIMITED'],
    output: dataResponse(orderPage),
  }),
} as const satisfies Endpoints;
