import * as z from 'zod/mini';
import { address } from './accounts.ts';
import { buyerAnswers } from './buyer-fields.ts';
import { productKind } from './catalog.ts';
import { dataResponse, type Endpoints, forCustomers, listResponse } from './endpoint.ts';
import { byAmount } from './pricing.ts';
import { dollars, id, timestamp } from './text.ts';

/** The badge beside an order's status; null while no money goes back. */
export const refundStatus = z.nullable(z.enum(['Refund under way', 'Partly refunded', 'Refunded']));
export type RefundStatus = z.infer<typeof refundStatus>;

/** How a buyer recognises the card that paid; `brand` in the provider's spelling, e.g. "visa". */
export const card = z.object({ brand: z.string(), last4: z.string() });
export type PaidCard = z.infer<typeof card>;

/** Money that goes back to a buyer, for returned units or for all that was left of the order. */
export const refund = z.object({
  amount: dollars,
  /** `done` once the payment provider has given it back; `failed`: a person has to see to it. */
  state: z.enum(['pending', 'done', 'failed']),
  /** When it was given back; while it is pending, when it was begun. */
  at: timestamp,
  /** Null where the provider has not told it. */
  card: z.nullable(card),
  /** In another way than to the card. */
  isByHand: z.boolean(),
  /** Empty when it is for all that was left, or an amount. */
  items: z.array(z.object({ name: z.string(), quantity: z.int() })),
  /** What the shop tells its buyer about it; often empty. The reason is kept among administrators. */
  message: z.string(),
});
export type Refund = z.infer<typeof refund>;

/** A refund as administrators see it. */
export const adminRefund = z.extend(refund, {
  _id: id,
  reason: z.string(),
  /** From 1; the next one begins when a failed refund is tried again. */
  attempt: z.int(),
  /**
   * The provider has accepted it. If it fails after that, it waits for a person; if it is refused at once, it is asked
   * for again.
   */
  isFollowedOnly: z.boolean(),
  /** Why it failed, in the provider's spelling. */
  failure: z.nullable(z.string()),
  /** How it was given back in another way. */
  settledNote: z.nullable(z.string()),
});

/** As in the database (docs/architecture.md). */
export const orderState = z.enum([
  'pending',
  'capturing',
  'fulfilled',
  'cancelled',
  'refunding',
  'refunded',
  'disputed',
]);
export type OrderState = z.infer<typeof orderState>;

/** Goods of an order that travel together. */
const parcel = z.object({
  _id: id,
  /** From 1, in the sequence of shipping. */
  number: z.int(),
  carrier: z.nullable(z.string()),
  trackingNumber: z.nullable(z.string()),
  /** The carrier's page of this parcel; null for a carrier that is not in shared/carriers.ts. */
  trackingUrl: z.nullable(z.string()),
  shippedAt: timestamp,
  deliveredAt: z.nullable(timestamp),
  items: z.array(z.object({ line: id, name: z.string(), quantity: z.int() })),
});
export type Parcel = z.infer<typeof parcel>;

export const orderStatus = z.enum(['Processing', 'Shipped', 'Delivered', 'Cancelled']);
export type OrderStatus = z.infer<typeof orderStatus>;

export const order = z.object({
  _id: id,
  orderType: z.enum(['digital', 'physical']),
  status: orderStatus,
  refundStatus,
  createdAt: timestamp,
  orderItems: z.array(
    z.object({
      _id: id,
      product: id,
      name: z.string(),
      quantity: z.int(),
      image: z.string(),
      /** Of its product, whose icon stands in for a picture that does not load. */
      category: z.string(),
      price: dollars,
      productType: productKind,
    }),
  ),
  /** Items can be viewed: a line is digital. */
  hasItems: z.boolean(),
  /** All of it was there once it was paid: no line is delivered by a person or a carrier. */
  isInstant: z.boolean(),
  /** Units that a person still has to deliver. */
  waitingUnits: z.int(),
  /** In the sequence of shipping. */
  parcels: z.array(parcel),
  paymentMethod: z.string(),
  paymentResult: z.nullable(z.object({ id: z.string(), status: z.string() })),
  isPaid: z.boolean(),
  ...byAmount('Price', () => dollars),
  /** What went back of it. */
  refundedPrice: dollars,
  /** Oldest first. */
  refunds: z.array(refund),
  shippingAddress: z.nullable(address),
  contactEmail: z.string(),
});
export type Order = z.infer<typeof order>;

export const deliveredItems = z.object({
  orderId: id,
  orderDate: timestamp,
  status: orderStatus,
  refundStatus,
  refunds: z.array(refund),
  items: z.array(
    z.object({
      line: id,
      productName: z.string(),
      image: z.string(),
      category: z.string(),
      productType: z.string(),
      quantity: z.int(),
      /** Units of it that were taken back: their money has gone back, or is on its way. */
      returnedQuantity: z.int(),
      /** The numbers of the returned ones, where the others of the product keep theirs. */
      returnedNumbers: z.array(z.int()),
      /** The numbers of the units that a person still has to deliver. */
      waitingNumbers: z.array(z.int()),
      /** What the buyer answered at the checkout. */
      answers: buyerAnswers,
      /** Where it can be activated, and on what; null where it does not matter. */
      region: z.nullable(z.string()),
      platform: z.nullable(z.string()),
      deliveryInstructions: z.string(),
      warranty: z.int(),
      items: z.array(
        z.object({
          id,
          /** From 1; it stays when another unit is returned or this one is replaced. */
          number: z.int(),
          /** Delivered in the place of a faulty one. */
          isReplacement: z.boolean(),
          /** Null when it cannot be read: the shop is told, and replaces it; and of a file. */
          content: z.nullable(z.string()),
          /** What its buyer downloads, in its newest version; null where `content` is what was bought. */
          file: z.nullable(
            z.object({
              name: z.string(),
              bytes: z.int(),
              version: z.int(),
              /** Only earlier versions of it have been downloaded. */
              isNewVersion: z.boolean(),
              /** Null without a limit. */
              downloadsLeft: z.nullable(z.int()),
              /** When its downloads end; null when they do not. */
              until: z.nullable(timestamp),
            }),
          ),
          /** Why neither is given now; null where it is. */
          refusal: z.nullable(z.object({ code: z.enum(['ITEM_FROZEN']), message: z.string() })),
          /** It had been sent to its buyer before this call; a file is sent when it is downloaded. */
          viewed: z.boolean(),
          deliveredAt: timestamp,
          /** Null without warranty. */
          warrantyUntil: z.nullable(timestamp),
        }),
      ),
    }),
  ),
});
export type DeliveredItems = z.infer<typeof deliveredItems>;

export const orderEndpoints = {
  'GET /digital-orders/myorders': forCustomers('My digital orders, newest first', { output: listResponse(order) }),
  'GET /orders/myorders': forCustomers('My physical orders, newest first', { output: listResponse(order) }),
  'GET /digital-orders/:orderId/items': forCustomers('The delivered secrets of one of my orders', {
    params: z.object({ orderId: id }),
    errors: ['RATE_LIMITED'],
    output: dataResponse(deliveredItems),
  }),
} as const satisfies Endpoints;
