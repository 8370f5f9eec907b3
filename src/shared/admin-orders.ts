import * as z from 'zod/mini';
import { quantity } from './cart.ts';
import { buyerAnswers, delivery, productKind } from './catalog.ts';
import { dataResponse, type Endpoints, forAdmins, okResponse } from './endpoint.ts';
import { itemState, reason, uploadedItem } from './inventory.ts';
import { adminRefund, order, orderState, orderStatus, orderUser } from './orders.ts';
import { dayRange, page, pageQuery } from './paging.ts';
import { price } from './product-prices.ts';
import { dollars, draft, email, id, idParams, line, requiredLine, requiredText, timestamp } from './text.ts';
import { typedCode } from './two-factor.ts';

export const adminOrder = z.extend(order, { user: z.nullable(orderUser), state: orderState });
export type AdminOrder = z.infer<typeof adminOrder>;

const orderEvent = z.object({
  at: timestamp,
  kind: z.enum([
    'created',
    'paid',
    'delivered',
    'shipped',
    'cancelled',
    'disputed',
    'frozen',
    'unfrozen',
    'mail',
    'revealed',
    'revealed-to-admin',
    'replaced',
    'refund-started',
    'refunded',
    'email-corrected',
  ]),
  /** Names the actor where known; never contains a secret. */
  text: z.string(),
});
export type OrderEvent = z.infer<typeof orderEvent>;

const orderUnit = z.object({
  _id: id,
  /** Number of the unit in its order line, from 1, as its buyer sees it. */
  number: z.int(),
  masked: z.string(),
  state: itemState,
  deliveredAt: z.nullable(timestamp),
  viewed: z.boolean(),
  isReplacement: z.boolean(),
  isReplaced: z.boolean(),
  /** The item is delivered and under warranty. */
  replaceable: z.boolean(),
});

const freezeCause = z.enum(['dispute', 'inquiry', 'fraud-warning', 'restore']);

const adminOrderPage = z.extend(adminOrder, {
  lines: z.array(
    z.object({
      _id: id,
      product: id,
      name: z.string(),
      image: z.string(),
      category: z.string(),
      quantity: z.int(),
      price: dollars,
      warranty: z.int(),
      refundedQuantity: z.int(),
      productType: productKind,
      /** Units that wait to be shipped; 0 for a digital line. */
      unshippedQuantity: z.int(),
      /** Null for physical goods. */
      delivery: z.nullable(delivery),
      answers: buyerAnswers,
      region: z.nullable(z.string()),
      platform: z.nullable(z.string()),
      /** Numbers of the units that a person still has to deliver. */
      waitingUnits: z.array(z.int()),
      items: z.array(orderUnit),
    }),
  ),
  /**
   * What the buyer typed at the checkout, even with an account. In a public demo, the timeline hides this name, too.
   */
  contactName: z.string(),
  phone: z.string(),
  ip: z.string(),
  cancelReason: z.nullable(z.string()),
  refundReason: z.nullable(z.string()),
  refunds: z.array(adminRefund),
  mails: z.array(
    z.object({
      kind: z.string(),
      recipient: z.string(),
      createdAt: timestamp,
      sentAt: z.nullable(timestamp),
      refusedAt: z.nullable(timestamp),
    }),
  ),
  /** Newest first; only for administrators. */
  notes: z.array(z.object({ _id: id, text: z.string(), author: z.string(), at: timestamp })),
  /** Oldest first. */
  timeline: z.array(orderEvent),
  allowed: z.array(orderStatus),
  /** The shop has the order's money: the order is fulfilled, or its lost dispute was won after all. */
  refundable: z.boolean(),
  /** A guest's order whose e-mail is not verified and whose items nobody has seen. */
  emailCorrectable: z.boolean(),
  /** The bank has questioned the payment, now or earlier: evidence can be downloaded. */
  questioned: z.boolean(),
  /** Why the items that the buyer has not seen are frozen; null when they are not frozen. */
  frozen: z.nullable(freezeCause),
  /** A dispute is undecided, even if the items were unfrozen. Nothing can be refunded until the bank has decided. */
  disputed: z.boolean(),
  /**
   * Staff refunded a part in the provider's dashboard. A refund of units or of an amount here then counts as that part.
   */
  givenByHand: z.boolean(),
  /** When the buyer can open the items after the e-mail was corrected; null when it was not. */
  itemsOpenAt: z.nullable(timestamp),
});
export type AdminOrderPage = z.infer<typeof adminOrderPage>;

export const updateOrderStatusBody = z.object({
  status: orderStatus,
  /** Carrier and tracking number are for Shipped. */
  carrier: z.optional(line(100)),
  trackingNumber: z.optional(line(100)),
  /** Reason and draft are for Cancelled, which refunds a paid order in full. */
  reason: z.optional(line(300)),
  draft,
});

/** Maximum length of the message to the buyer about a refund. */
export const MAX_REFUND_MESSAGE = 300;

const unitsOfLines = z.array(z.object({ line: id, quantity })).check(z.minLength(1), z.maxLength(100));

export const orderNoteBody = z.object({ text: requiredText(2_000), draft });

const adminOrders = {
  query: z.object({ ...pageQuery, ...dayRange, status: z.optional(orderStatus) }),
  output: page(adminOrder),
} as const;

/** A call that changes an order and returns it after the change. */
export const changesOrder = { params: idParams, output: dataResponse(adminOrderPage) } as const;

export const adminOrderEndpoints = {
  'GET /orders': forAdmins('Orders of physical goods, newest first', adminOrders),
  'GET /admin/digital-orders': forAdmins('Orders of digital goods, newest first', adminOrders),
  'GET /admin/orders': forAdmins('Orders of both kinds, newest first', adminOrders),
  'GET /admin/orders/:id': forAdmins('One order with its timeline, payment, mails and allowed actions', {
    params: idParams,
    output: dataResponse(adminOrderPage),
  }),
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
          amount: z.optional(price),
          draft,
          /**
           * Refunds units with their share of the tax. Without `lines` and `amount`, refunds all that is left,
           * including shipping.
           */
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
  'POST /admin/orders/:id/evidence': forAdmins(
    'The evidence against a claim of the bank, as a page to print; recorded in the audit log',
    { params: idParams, errors: ['TRANSITION_REFUSED'], file: 'text/html', output: okResponse },
  ),
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
} as const satisfies Endpoints;
