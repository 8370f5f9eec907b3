import * as z from 'zod/mini';
import { address } from './accounts.ts';
import { downloadGrant } from './delivery.ts';
import { dataResponse, type Endpoints, forAll, forCustomers, listResponse } from './endpoint.ts';
import { card, commonEvents, deliveredItems, order, orderParams } from './orders.ts';
import { dollars, email, id, timestamp } from './text.ts';

const receiptKind = z.enum(['receipt', 'credit-note']);
type ReceiptKind = z.infer<typeof receiptKind>;

const receiptSummary = z.object({ number: z.int(), kind: receiptKind, issuedAt: timestamp, total: dollars });

/** A receipt or a credit note, with the data of the time when it was issued. */
export const receipt = z.extend(receiptSummary, {
  seller: z.object({ name: z.string(), address: z.string(), taxId: z.string() }),
  buyer: z.object({ name: z.string(), email: z.string(), address: z.nullable(address) }),
  order: id,
  orderedAt: timestamp,
  paidAt: timestamp,
  lines: z.array(z.object({ name: z.string(), quantity: z.int(), price: dollars })),
  /** Shipping and tax: the amounts between the lines and the total. */
  adjustments: z.array(z.object({ label: z.string(), amount: dollars })),
  /** Null if the provider did not name the card. */
  card: z.nullable(card),
  /** The money of a credit note was given back in another way than to the card. */
  isByHand: z.boolean(),
  /** Number of the receipt that a credit note corrects; null for a receipt. */
  corrects: z.nullable(z.int()),
  /** The shop's message to the buyer about the refund. */
  message: z.string(),
});
export type Receipt = z.infer<typeof receipt>;

export const receiptTitles: Record<ReceiptKind, string> = { receipt: 'Receipt', 'credit-note': 'Credit note' };

/** Formats the number of a receipt, e.g. `000042`. */
export const receiptNumber = (number: number): string => String(number).padStart(6, '0');

/** An event of an order, described for its buyer; never contains a secret. */
const orderStep = z.object({ at: timestamp, kind: z.enum(['placed', ...commonEvents]), text: z.string() });
export type OrderStep = z.infer<typeof orderStep>;

/** Everything that a buyer may know about an order, except its secrets. */
const orderPage = z.extend(order, {
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

export const orderPageEndpoints = {
  'GET /orders/:orderId/receipts': forCustomers(
    'The receipt and the credit notes of one of my orders (for an administrator, of any order), oldest first',
    { params: orderParams, output: listResponse(receipt) },
  ),
  'GET /orders/mine/:orderId': forCustomers('One of my orders, of either type, with its timeline', {
    params: orderParams,
    output: dataResponse(orderPage),
  }),
  'POST /orders/mine/:orderId/cancel': forCustomers('Cancel one of my orders, if nothing of it was shipped or seen', {
    params: orderParams,
    errors: ['TRANSITION_REFUSED', 'ITEM_FROZEN', 'RATE_LIMITED'],
    output: dataResponse(orderPage),
  }),
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
    limit: 'guest-order',
    body: z.object({
      lookupId: id,
      code: z
        .string()
        .check(
          z.trim(),
          z.regex(new RegExp(`^[0-9]{${LOOKUP_CODE_LENGTH}}$`), `Please enter a ${LOOKUP_CODE_LENGTH}-digit code`),
        ),
    }),
    errors: ['INVALID_CODE'],
    output: dataResponse(openedOrder),
  }),
  'POST /order-lookup/guest/download': forAll('Let the browser that opened an order download one of its files', {
    body: z.object({ itemId: id }),
    errors: ['NOT_FOUND', 'ITEM_NOT_AVAILABLE', 'ITEM_FROZEN', 'RATE_LIMITED'],
    output: dataResponse(downloadGrant),
  }),
} as const satisfies Endpoints;
