import * as z from 'zod/mini';
import { address } from './accounts.ts';
import { buyerAnswers, productKind } from './catalog.ts';
import { dataResponse, type Endpoints, forCustomers } from './endpoint.ts';
import { pageQuery, uncountedPage } from './paging.ts';
import { byAmount } from './pricing.ts';
import { dollars, id, timestamp } from './text.ts';

/** The badge beside an order's status; null without a refund. */
export const refundStatus = z.nullable(z.enum(['Refund under way', 'Partly refunded', 'Refunded']));
export type RefundStatus = z.infer<typeof refundStatus>;

/** Lets the owner recognise the card that paid. `brand` is in the provider's spelling, e.g. "visa". */
export const card = z.object({ brand: z.string(), last4: z.string() });
export type PaidCard = z.infer<typeof card>;

const refundState = z.enum(['pending', 'done', 'failed']);
export type RefundState = z.infer<typeof refundState>;

/** A refund of returned units, of an amount, or of all that was left of the order. */
export const refund = z.object({
  amount: dollars,
  /** `done`: the money was paid back. `failed`: a person has to take care of it. */
  state: refundState,
  /** When the refund was done; until then, when it was begun. */
  at: timestamp,
  /** Null if the provider did not name it. */
  card: z.nullable(card),
  /** Paid back in another way than to the card. */
  isByHand: z.boolean(),
  /** Empty for an amount or for all that was left. */
  items: z.array(z.object({ name: z.string(), quantity: z.int() })),
  /** The shop's message to the buyer, may be empty. The reason of a refund is for administrators only. */
  message: z.string(),
});
export type Refund = z.infer<typeof refund>;

export const adminRefund = z.extend(refund, {
  _id: id,
  reason: z.string(),
  /** Counts from 1; each retry of a failed refund begins the next attempt. */
  attempt: z.int(),
  /**
   * The provider has accepted the refund and it is not done. A failed refund that the provider had accepted waits for a
   * person; a refund that the provider refused is requested again.
   */
  isFollowedOnly: z.boolean(),
  /** Why it failed, in the provider's spelling. */
  failure: z.nullable(z.string()),
  /**
   * An administrator may note that the money was paid back in another way: the refund has failed, and no pending refund
   * of all that is left may include it.
   */
  isSettleable: z.boolean(),
  /** An administrator's note how the money was paid back in another way. */
  settledNote: z.nullable(z.string()),
});

/** The state in the database (docs/architecture.md). */
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

/** The kinds of events that the timeline of an order has for its buyer and for administrators. */
export const commonEvents = [
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
] as const;

const parcel = z.object({
  _id: id,
  /** Counts from 1 in the order of shipping. */
  number: z.int(),
  carrier: z.nullable(z.string()),
  trackingNumber: z.nullable(z.string()),
  /** URL of the carrier's tracking page; null for a carrier that is not in `carriers`. */
  trackingUrl: z.nullable(z.string()),
  shippedAt: timestamp,
  deliveredAt: z.nullable(timestamp),
  items: z.array(z.object({ line: id, name: z.string(), quantity: z.int() })),
});
export type Parcel = z.infer<typeof parcel>;

export const orderStatus = z.enum(['Processing', 'Shipped', 'Delivered', 'Cancelled']);
export type OrderStatus = z.infer<typeof orderStatus>;

export const orderLine = z.object({
  _id: id,
  product: id,
  name: z.string(),
  quantity: z.int(),
  image: z.string(),
  /** Category of the product; its icon replaces a picture that does not load. */
  category: z.string(),
  price: dollars,
  productType: productKind,
});

export const order = z.object({
  _id: id,
  orderType: z.enum(['digital', 'physical']),
  status: orderStatus,
  refundStatus,
  createdAt: timestamp,
  orderItems: z.array(orderLine),
  /** The order has a digital line, so it has items to view. */
  hasItems: z.boolean(),
  /** All lines are delivered as soon as the order is paid: none by a person or a carrier. */
  isInstant: z.boolean(),
  /** Units that a person still has to deliver. */
  waitingUnits: z.int(),
  /** In the order of shipping. */
  parcels: z.array(parcel),
  paymentMethod: z.string(),
  paymentResult: z.nullable(z.object({ id: z.string(), status: z.string() })),
  isPaid: z.boolean(),
  ...byAmount('Price', () => dollars),
  /** Sum of the refunds that are done. */
  refundedPrice: dollars,
  /** Oldest first. */
  refunds: z.array(refund),
  shippingAddress: z.nullable(address),
  contactEmail: z.string(),
  /** Empty unless a guest has bought. */
  guestName: z.string(),
  guestEmail: z.string(),
});
export type Order = z.infer<typeof order>;

export const orderUser = z.object({ _id: id, name: z.string(), email: z.string() });

export const ownOrder = z.extend(order, { user: orderUser });
export type OwnOrder = z.infer<typeof ownOrder>;

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
      /** Units whose money was refunded or is being refunded. */
      returnedQuantity: z.int(),
      /** Numbers of the returned units; the other units of the line keep their numbers. */
      returnedNumbers: z.array(z.int()),
      /** Numbers of the units that a person still has to deliver. */
      waitingNumbers: z.array(z.int()),
      answers: buyerAnswers,
      /** Where and on what it can be activated; null if not restricted. */
      region: z.nullable(z.string()),
      platform: z.nullable(z.string()),
      deliveryInstructions: z.string(),
      warranty: z.int(),
      items: z.array(
        z.object({
          id,
          /** Number of the unit, from 1. It does not change when another unit is returned or this one is replaced. */
          number: z.int(),
          /** Delivered as the replacement of a faulty item. */
          isReplacement: z.boolean(),
          /** The secret. Null for a file, with a `refusal`, or if it cannot be decrypted, which raises an alert. */
          content: z.nullable(z.string()),
          /** The newest version of the file to download; null if the product is not a file. */
          file: z.nullable(
            z.object({
              name: z.string(),
              bytes: z.int(),
              version: z.int(),
              /** The buyer has downloaded earlier versions, but not this one. */
              isNewVersion: z.boolean(),
              /** Null without a limit. */
              downloadsLeft: z.nullable(z.int()),
              /** Until when it can be downloaded; null without a limit. */
              until: z.nullable(timestamp),
            }),
          ),
          /** Why the buyer can neither read nor download the item now; null if the buyer can. */
          refusal: z.nullable(z.object({ code: z.enum(['ITEM_FROZEN']), message: z.string() })),
          /** The item had been sent to its buyer before this call. A file counts as sent when it is downloaded. */
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
export type DeliveredUnit = DeliveredItems['items'][number]['items'][number];

export const orderParams = z.object({ orderId: id });

/** `q`: a part of the order's number, or of the name of a product in it. */
const pageOfOrders = { query: z.object(pageQuery), output: uncountedPage(ownOrder) };

export const orderEndpoints = {
  'GET /digital-orders/myorders': forCustomers('My digital orders, newest first, page by page', pageOfOrders),
  'GET /orders/myorders': forCustomers('My physical orders, newest first, page by page', pageOfOrders),
  'GET /digital-orders/:orderId/items': forCustomers('The delivered secrets of one of my orders', {
    params: orderParams,
    errors: ['RATE_LIMITED'],
    output: dataResponse(deliveredItems),
  }),
} as const satisfies Endpoints;
