import * as z from 'zod/mini';
import { typedAddress, user } from './accounts.ts';
import { quantity } from './cart.ts';
import { CART_FULL, MAX_CART_LINES } from './cart-rules.ts';
import { buyerAnswers } from './catalog.ts';
import { dataResponse, type Endpoints, forAll, forCustomers, okResponse, success } from './endpoint.ts';
import { order, ownOrder } from './orders.ts';
import { newPassword } from './passwords.ts';
import { byAmount } from './pricing.ts';
import { quotedOrder, shippingAddress } from './shipping.ts';
import { dollars, email, id, line, personName, phone } from './text.ts';

const orderItem = z.object({
  product: id,
  name: line(300),
  quantity,
  /** The price that the browser shows, in dollars. Ignored: the server charges its own price. */
  price: dollars,
});

const cartOf = <T extends z.ZodMiniType>(item: T) =>
  z.array(item).check(z.minLength(1, 'Your cart is empty'), z.maxLength(MAX_CART_LINES, CART_FULL));

const intentFields = {
  orderItems: cartOf(
    z.extend(orderItem, {
      /** Answers to the buyer fields of the product. */
      answers: z.optional(buyerAnswers),
    }),
  ),
  /** The total that the shopper saw. If given, a difference of more than 0.01 is rejected before any goods are held. */
  totalPrice: z.optional(dollars),
  /**
   * `ask` rejects with REPEAT_ORDER if this buyer bought the same goods in the last 10 minutes or is paying for them
   * now. `allow`: the buyer has confirmed the repeat. If left out, repeats are not checked.
   */
  onRepeat: z.optional(z.enum(['ask', 'allow'])),
};

/** The contact of this order; what is left out is the customer's own. */
const customerIntentFields = {
  ...intentFields,
  contactEmail: z.optional(email),
  contactName: z.optional(personName),
  contactPhone: z.optional(phone),
};

const guestIntentFields = { ...intentFields, guestEmail: email, guestName: personName, guestPhone: z.optional(phone) };

/** Required if a line is physical; not stored for an order without physical lines. */
const shippedTo = { shippingAddress: z.optional(shippingAddress) };

const settleErrors = ['PAYMENT_NOT_CONFIRMED', 'PAYMENT_MISMATCH'] as const;
const paymentErrors = [...settleErrors, 'PRICE_CHANGED'] as const;
const guestErrors = ['ACCOUNT_BLOCKED', 'INVALID_CREDENTIALS', 'RATE_LIMITED'] as const;

const opensPayment = {
  errors: [
    ...paymentErrors,
    'PRODUCT_UNAVAILABLE',
    'SHIPPING_UNAVAILABLE',
    'OUT_OF_STOCK',
    'HOLD_LIMIT',
    'REPEAT_ORDER',
    'SHOP_CLOSED',
    'RATE_LIMITED',
  ],
  output: z.object({
    success,
    clientSecret: z.string(),
    orderId: id,
    validatedAmounts: z.object(byAmount('Price', () => dollars)),
  }),
} as const;

/** The server uses `orderItems`, `paymentResult.id` and `totalPrice`, and ignores the other fields. */
const placeOrderFields = {
  orderItems: cartOf(z.extend(orderItem, { image: z.optional(z.string()) })),
  contactEmail: z.optional(email),
  paymentMethod: z.optional(line(40)),
  paymentResult: z.object({ id: line(255), status: z.optional(line(60)) }),
  itemsPrice: z.optional(dollars),
  taxPrice: z.optional(dollars),
  shippingPrice: z.optional(dollars),
  /** Ignored: the order keeps the address with which its payment was opened. */
  shippingAddress: z.optional(z.partial(typedAddress)),
  totalPrice: dollars,
};

const guestOrderFields = {
  ...placeOrderFields,
  guestEmail: email,
  guestName: personName,
  /** Write-only: never stored in clear text, logged or returned. */
  guestPassword: newPassword,
};

/** How a guest who has paid gets to the goods (docs/security.md): signed in already, by login, or by mailed link. */
const guestAccess = z.enum(['signed-in', 'sign-in', 'check-mail']);
export type GuestAccess = z.infer<typeof guestAccess>;

const guestOrder = z.extend(order, { access: guestAccess, token: z.optional(z.string()), user: z.optional(user) });

const finishErrors = [...paymentErrors, 'NOT_FOUND', 'ORDER_MISMATCH'] as const;
const finishesOrder = { status: 201, errors: finishErrors, output: dataResponse(ownOrder) } as const;
const finishesGuestOrder = {
  body: z.object(guestOrderFields),
  status: 201,
  errors: [...finishErrors, ...guestErrors],
  output: dataResponse(guestOrder),
} as const;

const boughtItems = z.array(z.object({ product: id, quantity: z.int() }));

/** The last order that this browser began to pay, identified by the checkout cookie. */
const checkoutStatus = z.object({
  orderId: id,
  /**
   * `open`: the payment is not authorised yet. `paid`: authorised or captured. `waiting`: captured, but without an
   * owner until the guest's e-mail is verified. `cancelled`: no money was taken, or it was refunded or disputed.
   */
  state: z.enum(['open', 'paid', 'waiting', 'cancelled']),
  guest: z.boolean(),
  /** The guest has to choose a password: the account is not created yet, or has none. */
  needsPassword: z.boolean(),
  email: z.string(),
  totalPrice: dollars,
  paymentIntentId: z.string(),
  orderItems: boughtItems,
});
export type CheckoutStatus = z.infer<typeof checkoutStatus>;

/** State of that order for pages other than the checkout. Unlike `checkoutStatus`, does not prolong the hold. */
const paymentStatus = z.object({
  orderId: id,
  /**
   * `open`: the payment is not authorised yet. `paid`: authorised. `ready`: the order is fulfilled. `waiting`:
   * fulfilled, but without an owner until the guest's e-mail is verified. `failed`: no money was taken.
   */
  state: z.enum(['open', 'paid', 'ready', 'waiting', 'failed']),
  orderItems: boughtItems,
});
export type PaymentStatus = z.infer<typeof paymentStatus>;

export const checkoutEndpoints = {
  'POST /orders/quote': forAll('The price of a cart, including shipping to a country; holds nothing', {
    limit: 'catalogue',
    body: z.object({
      orderItems: cartOf(z.object({ product: id, name: line(300), quantity })),
      /** Name or ISO 3166-1 code. */
      country: z.optional(line(100)),
    }),
    errors: ['PRODUCT_UNAVAILABLE', 'SHIPPING_UNAVAILABLE'],
    output: dataResponse(quotedOrder),
  }),
  'POST /orders/create-payment-intent': forCustomers(
    'Price a cart of goods of any kind, hold the goods, open a payment',
    { body: z.object({ ...customerIntentFields, ...shippedTo }), ...opensPayment },
  ),
  'POST /orders/guest/create-payment-intent': forAll('The same for a guest', {
    body: z.object({ ...guestIntentFields, ...shippedTo }),
    ...opensPayment,
  }),
  'POST /orders': forCustomers('Finish an order of goods of any kind whose card was confirmed', {
    body: z.object(placeOrderFields),
    ...finishesOrder,
  }),
  'POST /orders/guest': forAll('The same for a guest; sets the password of a new account', finishesGuestOrder),
  'POST /digital-orders/create-payment-intent': forCustomers('Price the cart, hold the goods, open a payment', {
    body: z.object(customerIntentFields),
    ...opensPayment,
  }),
  'POST /digital-orders/guest/create-payment-intent': forAll('The same for a guest', {
    body: z.object(guestIntentFields),
    ...opensPayment,
  }),
  'POST /digital-orders': forCustomers('Finish an order whose card was confirmed', {
    body: z.object(placeOrderFields),
    ...finishesOrder,
  }),
  'POST /digital-orders/guest': forAll('The same for a guest; sets the password of a new account', finishesGuestOrder),
  'GET /digital-orders/guest/checkout': forAll('The order this browser was last paying', {
    limit: 'guest-order',
    personal: true,
    output: dataResponse(z.nullable(checkoutStatus)),
  }),
  'GET /digital-orders/guest/checkout/payment': forAll('The state of the payment that this browser last began', {
    limit: 'guest-order',
    personal: true,
    output: dataResponse(z.nullable(paymentStatus)),
  }),
  'POST /digital-orders/guest/checkout': forAll('Set the password after a payment whose page was closed', {
    body: z.object({ password: newPassword }),
    errors: [...settleErrors, 'NOT_FOUND', ...guestErrors],
    output: dataResponse(guestOrder),
  }),
  'DELETE /digital-orders/guest/checkout': forAll(
    'Forget the order that this browser paid, once the buyer has it or knows that its email must be verified',
    { limit: 'guest-order', output: okResponse },
  ),
  'POST /digital-orders/guest/checkout/abandon': forAll(
    'Release the goods of an order that this browser opened and does not pay',
    {
      limit: 'guest-order',
      body: z.object({
        orderId: id,
        /** True: the page was closed or reloaded, the buyer has 60 s to come back. False: the buyer left it. */
        pageIsClosed: z.boolean(),
      }),
      errors: ['PAYMENT_NOT_CONFIRMED'],
      output: okResponse,
    },
  ),
  'GET /digital-orders/guest/waiting': forAll('The paid order of this browser that waits until its email is verified', {
    limit: 'guest-order',
    personal: true,
    output: dataResponse(z.nullable(z.object({ orderId: id, email: z.string() }))),
  }),
  'POST /digital-orders/guest/waiting/verify-link': forAll(
    'Mail the link that verifies the email of that order again',
    { errors: ['NOT_FOUND', 'RATE_LIMITED'], output: okResponse },
  ),
} as const satisfies Endpoints;
