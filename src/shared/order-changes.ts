import * as z from 'zod/mini';
import { adminOrderPage, freezeCause } from './admin-orders.ts';
import { quantity } from './cart.ts';
import { deliveredContent } from './delivery.ts';
import { dataResponse, type Endpoints, forAdmins, okResponse } from './endpoint.ts';
import { reason, uploadedItem } from './inventory.ts';
import { orderStatus } from './orders.ts';
import { MAX_ORDER_CENTS, toDollars } from './pricing.ts';
import { amountFrom } from './product-prices.ts';
import { draft, email, id, idParams, line, requiredLine, requiredText } from './text.ts';
import { typedCode } from './two-factor.ts';

export const updateOrderStatusBody = z.object({
  status: orderStatus,
  /** Carrier and tracking number are for Shipped. */
  carrier: z.optional(line(100)),
  trackingNumber: z.optional(line(100)),
  /** Reason and draft are for Cancelled, which refunds a paid order in full. */
  reason: z.optional(line(300)),
  draft,
});

export const MAX_REFUND_MESSAGE = 300;

const unitsOfLines = z.array(z.object({ line: id, quantity })).check(z.minLength(1), z.maxLength(100));

export const orderNoteBody = z.object({ text: requiredText(2_000), draft });

/** `attempt` is the failed attempt that was shown; the call is rejected if another attempt has begun since. */
const failedRefund = z.object({ refund: id, attempt: z.int() });

const changesOrder = { params: idParams, output: dataResponse(adminOrderPage) } as const;

export const orderChangeEndpoints = {
  'PUT /admin/orders/:id/status': forAdmins(
    'Ship, deliver or cancel an order; 409 with the allowed statuses otherwise',
    {
      ...changesOrder,
      body: updateOrderStatusBody,
      errors: ['TRANSITION_REFUSED', 'REFUND_REFUSED', 'OUT_OF_STOCK', 'ITEM_FROZEN'],
    },
  ),
  'POST /admin/orders/:id/ship': forAdmins('Ship a parcel: units of lines, or all that is left', {
    ...changesOrder,
    body: z.object({
      carrier: requiredLine(100),
      trackingNumber: requiredLine(100),
      /** If left out, all units that wait to be shipped. */
      lines: z.optional(unitsOfLines),
      draft,
    }),
    errors: ['TRANSITION_REFUSED', 'ITEM_FROZEN'],
  }),
  'POST /admin/orders/:id/deliver-parcel': forAdmins('Mark a parcel as delivered', {
    ...changesOrder,
    body: z.object({ parcel: id }),
    errors: ['TRANSITION_REFUSED'],
  }),
  'POST /admin/orders/:id/refund': forAdmins(
    'Refund an order in full, units of lines, or an amount; the goods of a full refund and of units are withdrawn',
    {
      ...changesOrder,
      body: z
        .object({
          reason,
          /** Shown to the buyer on the order's page and in the mail. */
          message: z.optional(line(MAX_REFUND_MESSAGE)),
          /** Refunds an amount instead of units, less than what is left of the order; the buyer keeps the goods. */
          amount: z.optional(amountFrom(0.01, 'must be greater than 0', toDollars(MAX_ORDER_CENTS))),
          draft,
          /** Refunds units with their share of the tax; without `lines` and `amount` the rest, including shipping. */
          lines: z.optional(unitsOfLines),
        })
        .check(
          z.refine(
            ({ amount, lines }) => amount === undefined || lines === undefined,
            'Please refund either units or an amount',
          ),
        ),
      errors: ['REFUND_REFUSED'],
    },
  ),
  'POST /admin/orders/:id/unfreeze': forAdmins('Unfreeze an order, so that the buyer can open the unseen items', {
    ...changesOrder,
    /** `frozen`: the cause that the administrator saw; 409 if it is another one by now. */
    body: z.object({ reason, frozen: z.optional(freezeCause) }),
    errors: ['TRANSITION_REFUSED'],
  }),
  'POST /admin/orders/:id/notes': forAdmins('Write a note on an order, for administrators only', {
    ...changesOrder,
    body: orderNoteBody,
    errors: ['EDIT_CONFLICT'],
  }),
  'POST /admin/orders/:id/correct-email': forAdmins(
    'Correct the unproven email of a guest’s order with unseen items, with a fresh two-factor code',
    {
      ...changesOrder,
      body: z.object({ email, reason, code: typedCode }),
      errors: ['TRANSITION_REFUSED', 'TWO_FACTOR_NOT_SET_UP', 'INVALID_CODE', 'RATE_LIMITED'],
    },
  ),
  'POST /admin/orders/:id/replace-item': forAdmins(
    'Deliver another item for a faulty one under warranty; the faulty one is burnt',
    {
      ...changesOrder,
      body: z.object({
        item: id,
        reason,
        /** The new item, for a product that a person delivers. */
        content: z.optional(uploadedItem),
      }),
      errors: ['ITEM_NOT_AVAILABLE', 'ITEM_FROZEN', 'OUT_OF_STOCK'],
    },
  ),
  'POST /admin/orders/:id/resend-mail': forAdmins('Send the order’s mail again', {
    params: idParams,
    body: z.object({ draft }),
    errors: ['TRANSITION_REFUSED'],
    output: okResponse,
  }),
  'POST /admin/orders/:id/retry-refund': forAdmins('Retry a failed refund', {
    ...changesOrder,
    body: failedRefund,
    errors: ['REFUND_REFUSED'],
  }),
  'POST /admin/orders/:id/settle-refund': forAdmins('Note that a failed refund was given back in another way', {
    ...changesOrder,
    body: z.extend(failedRefund, { reason }),
    errors: ['REFUND_REFUSED'],
  }),
  'POST /admin/orders/:id/deliver-unit': forAdmins('Deliver a unit that waits for a person', {
    ...changesOrder,
    body: z.object({
      line: id,
      /** Number of the unit in its line, from 1. */
      unit: z.int().check(z.minimum(1)),
      content: deliveredContent,
      draft,
    }),
    errors: ['TRANSITION_REFUSED', 'ITEM_FROZEN'],
  }),
} as const satisfies Endpoints;
