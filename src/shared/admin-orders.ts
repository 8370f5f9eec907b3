import * as z from 'zod/mini';
import { buyerAnswers, delivery } from './catalog.ts';
import { dataResponse, type Endpoints, forAdmins, okResponse } from './endpoint.ts';
import { itemState } from './inventory.ts';
import { adminRefund, commonEvents, order, orderLine, orderState, orderStatus, orderUser } from './orders.ts';
import { dayRange, page, pageQuery } from './paging.ts';
import { id, idParams, timestamp } from './text.ts';

export const adminOrder = z.extend(order, { user: z.nullable(orderUser), state: orderState });
export type AdminOrder = z.infer<typeof adminOrder>;

const orderEvent = z.object({
  at: timestamp,
  kind: z.enum(['created', ...commonEvents, 'mail', 'revealed', 'revealed-to-admin', 'email-corrected']),
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

export const freezeCause = z.enum(['dispute', 'inquiry', 'fraud-warning', 'restore']);

export const adminOrderPage = z.extend(adminOrder, {
  lines: z.array(
    z.extend(orderLine, {
      warranty: z.int(),
      refundedQuantity: z.int(),
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
  /** What the buyer typed at the checkout, even with an account. In a public demo, the timeline hides it, too. */
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
  /** Staff refunded a part in the provider's dashboard. A refund of units or an amount here then counts as it. */
  givenByHand: z.boolean(),
  /** When the buyer can open the items after the e-mail was corrected; null when it was not. */
  itemsOpenAt: z.nullable(timestamp),
});
export type AdminOrderPage = z.infer<typeof adminOrderPage>;
export type AdminOrderLine = AdminOrderPage['lines'][number];

const adminOrders = {
  query: z.object({ ...pageQuery, ...dayRange, status: z.optional(orderStatus) }),
  output: page(adminOrder),
} as const;

export const adminOrderEndpoints = {
  'GET /orders': forAdmins('Orders of physical goods, newest first', adminOrders),
  'GET /admin/digital-orders': forAdmins('Orders of digital goods, newest first', adminOrders),
  'GET /admin/orders': forAdmins('Orders of both kinds, newest first', adminOrders),
  'GET /admin/orders/:id': forAdmins('One order with its timeline, payment, mails and allowed actions', {
    params: idParams,
    output: dataResponse(adminOrderPage),
  }),
  'POST /admin/orders/:id/evidence': forAdmins(
    'The evidence against a claim of the bank, as a page to print; recorded in the audit log',
    { params: idParams, errors: ['TRANSITION_REFUSED'], file: 'text/html', output: okResponse },
  ),
} as const satisfies Endpoints;
