import * as z from 'zod/mini';
import { address } from './accounts.ts';
import { type Endpoints, forCustomers, listResponse } from './endpoint.ts';
import { card, orderParams } from './orders.ts';
import { dollars, id, timestamp } from './text.ts';

const receiptKind = z.enum(['receipt', 'credit-note']);
type ReceiptKind = z.infer<typeof receiptKind>;

/** A receipt or a credit note in a list. */
export const receiptSummary = z.object({ number: z.int(), kind: receiptKind, issuedAt: timestamp, total: dollars });

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

export const receiptEndpoints = {
  'GET /orders/:orderId/receipts': forCustomers(
    'The receipt and the credit notes of one of my orders (for an administrator, of any order), oldest first',
    { params: orderParams, output: listResponse(receipt) },
  ),
} as const satisfies Endpoints;
