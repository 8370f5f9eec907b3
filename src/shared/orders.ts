import * as z from 'zod/mini';
import { address, user } from './accounts.ts';
import { MAX_CART_LINES, MAX_UNITS_PER_LINE } from './cart-rules.ts';
import { newPassword } from './passwords.ts';
import { refund, refundStatus } from './refunds.ts';
import { dollars, email, id, line, personName, phone, timestamp } from './text.ts';

/** What an order of digital goods is, from the first press of Pay to its end (docs/architecture.md). */
export const orderStates = [
  'pending',
  'capturing',
  'fulfilled',
  'cancelled',
  'refunding',
  'refunded',
  'disputed',
] as const;
export type OrderState = (typeof orderStates)[number];

/** The words people see. */
export const orderStatus = z.enum(['Processing', 'Shipped', 'Delivered', 'Cancelled']);
export type OrderStatus = z.infer<typeof orderStatus>;

const quantity = z.int().check(z.minimum(1), z.maximum(MAX_UNITS_PER_LINE));

const orderItem = z.object({
  product: id,
  name: line(300),
  quantity,
  /** What the browser showed, in dollars. Told, never trusted: the server charges its own price. */
  price: dollars,
});

const orderItems = z
  .array(orderItem)
  .check(z.minLength(1, 'Your cart is empty'), z.maxLength(MAX_CART_LINES));

const intentFields = {
  orderItems,
  /** The total the shopper saw; when given, a difference above 0.01 is refused before anything is held. */
  totalPrice: z.optional(dollars),
  /**
   * `ask`: refused with REPEAT_ORDER when this buyer bought the same in the last 10 minutes, or is paying for it now.
   * `allow`: they were asked, and want it again. Without it nobody is asked.
   */
  onRepeat: z.optional(z.enum(['ask', 'allow'])),
};

export const createIntentBody = z.object({ ...intentFields, contactEmail: z.optional(email) });
export const createGuestIntentBody = z.object({
  ...intentFields,
  guestEmail: email,
  guestName: personName,
  guestPhone: z.optional(phone),
});

export const createIntentAnswer = z.object({
  success: z.literal(true),
  clientSecret: z.string(),
  orderId: id,
  validatedAmounts: z.object({ itemsPrice: dollars, taxPrice: dollars, totalPrice: dollars }),
});

const placeOrderFields = {
  orderItems: z
    .array(z.extend(orderItem, { image: z.optional(z.string()) }))
    .check(z.minLength(1, 'Your cart is empty'), z.maxLength(MAX_CART_LINES)),
  contactEmail: z.optional(email),
  paymentMethod: z.optional(line(40)),
  /** Which intent; its `status` is the browser's word, and the provider is asked instead. */
  paymentResult: z.object({ id: line(255), status: z.optional(line(60)) }),
  itemsPrice: z.optional(dollars),
  taxPrice: z.optional(dollars),
  totalPrice: dollars,
};

const addressInput = z.partial(
  z.object({ street: line(200), city: line(100), state: line(100), zipCode: line(20), country: line(60) }),
);

export const placeOrderBody = z.object(placeOrderFields);
export const placeGuestOrderBody = z.object({
  ...placeOrderFields,
  guestEmail: email,
  guestName: personName,
  /** Write-only: never stored in clear, logged or echoed. */
  guestPassword: newPassword,
  shippingAddress: z.optional(addressInput),
});

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
    }),
  ),
  paymentMethod: z.string(),
  paymentResult: z.nullable(z.object({ id: z.string(), status: z.string() })),
  isPaid: z.boolean(),
  itemsPrice: dollars,
  taxPrice: dollars,
  shippingPrice: dollars,
  totalPrice: dollars,
  /** What went back of it. */
  refundedPrice: dollars,
  /** Oldest first. */
  refunds: z.array(refund),
  shippingAddress: z.nullable(address),
  contactEmail: z.string(),
});
export type Order = z.infer<typeof order>;

/**
 * How a guest who has just paid reaches the goods: signed in here; by signing in to the verified account of that
 * e-mail; or by verifying the e-mail, with the link that was mailed (docs/security.md).
 */
export const guestAccess = z.enum(['signed-in', 'sign-in', 'check-mail']);
export type GuestAccess = z.infer<typeof guestAccess>;

export const guestOrder = z.extend(order, {
  access: guestAccess,
  token: z.optional(z.string()),
  user: z.optional(user),
});

/** The order this browser was last paying, known by its checkout cookie. */
export const checkoutStatus = z.object({
  orderId: id,
  /**
   * `open`: nothing authorised yet. `paid`: authorised or captured. `waiting`: paid, and nobody's until the e-mail is
   * verified. `cancelled`: no money was taken.
   */
  state: z.enum(['open', 'paid', 'waiting', 'cancelled']),
  guest: z.boolean(),
  /** A guest's account that still waits for its password. */
  needsPassword: z.boolean(),
  email: z.string(),
  totalPrice: dollars,
  paymentIntentId: z.string(),
  orderItems: z.array(z.object({ product: id, quantity: z.int() })),
});
export type CheckoutStatus = z.infer<typeof checkoutStatus>;

/** A paid order of this browser that waits until its e-mail is verified. */
export const waitingOrder = z.object({ orderId: id, email: z.string() });

/** How that order stands, for the pages other than the checkout; asking does not keep its goods held. */
export const paymentStatus = z.object({
  orderId: id,
  /**
   * `open`: nothing authorised yet. `paid`: authorised. `ready`: delivered. `waiting`: delivered once the guest's e-mail
   * is verified. `failed`: no money was taken.
   */
  state: z.enum(['open', 'paid', 'ready', 'waiting', 'failed']),
  orderItems: z.array(z.object({ product: id, quantity: z.int() })),
});
export type PaymentStatus = z.infer<typeof paymentStatus>;

/** Sets the password of the account this browser's own purchase made, when the page that paid was closed before. */
export const finishCheckoutBody = z.object({ password: newPassword });

export const abandonCheckoutBody = z.object({
  orderId: id,
  /** Closed or reloaded: its buyer has 60 s to come back. Otherwise they went to another screen of the shop. */
  pageIsClosed: z.boolean(),
});

export const deliveredItems = z.object({
  orderId: id,
  orderDate: timestamp,
  status: orderStatus,
  refundStatus,
  refunds: z.array(refund),
  items: z.array(
    z.object({
      productName: z.string(),
      image: z.string(),
      category: z.string(),
      productType: z.string(),
      quantity: z.int(),
      /** Units of it that were taken back: their money has gone back, or is on its way. */
      returnedQuantity: z.int(),
      /** The numbers of the returned ones, where the others of the product keep theirs. */
      returnedNumbers: z.array(z.int()),
      deliveryInstructions: z.string(),
      /** Days. */
      warranty: z.int(),
      items: z.array(
        z.object({
          id,
          /** From 1; it stays when another unit is returned or this one is replaced. */
          number: z.int(),
          /** Delivered in the place of a faulty one. */
          isReplacement: z.boolean(),
          /** Null when it cannot be read: the shop is told, and replaces it. */
          content: z.nullable(z.string()),
          /** It had been sent to its buyer before this call. */
          viewed: z.boolean(),
          deliveredAt: timestamp,
        }),
      ),
    }),
  ),
});
export type DeliveredItems = z.infer<typeof deliveredItems>;
