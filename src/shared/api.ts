import * as z from 'zod/mini';
import { accountEndpoints } from './account-endpoints.ts';
import { addresses } from './addresses.ts';
import { adminEndpoints } from './admin-endpoints.ts';
import { categoryEntry, digitalProduct, productListQuery, productPage } from './catalog.ts';
import { emailEndpoints } from './email-endpoints.ts';
import { answer, done, type Endpoint, endpoint, list, success } from './endpoint.ts';
import { infoPage, infoSlug } from './info-pages.ts';
import { location } from './location.ts';
import {
  abandonCheckoutBody,
  checkoutStatus,
  createGuestIntentBody,
  createIntentAnswer,
  createIntentBody,
  deliveredItems,
  finishCheckoutBody,
  guestOrder,
  order,
  paymentStatus,
  placeGuestOrderBody,
  placeOrderBody,
  waitingOrder,
} from './orders.ts';
import { shop } from './shop.ts';
import { id } from './text.ts';

const createIntentErrors = [
  'PRODUCT_UNAVAILABLE',
  'OUT_OF_STOCK',
  'HOLD_LIMIT',
  'REPEAT_ORDER',
  'PRICE_CHANGED',
  'PAYMENT_NOT_CONFIRMED',
  'PAYMENT_MISMATCH',
  'RATE_LIMITED',
] as const;

/**
 * Every call of the shop, at its address of addresses.ts. The server answers from it, the browser's calls have its types,
 * /api/docs prints it.
 */
export const api = {
  getShop: endpoint({
    ...addresses.getShop,
    access: 'public',
    summary: 'What the browser must know of this shop',
    output: answer(shop),
  }),
  getLocation: endpoint({
    ...addresses.getLocation,
    access: 'public',
    personal: true,
    summary: 'From which country this visitor comes; empty where that is unknown',
    output: z.extend(location, { success }),
  }),
  getInfoPage: endpoint({
    ...addresses.getInfoPage,
    access: 'public',
    summary: 'One information page',
    params: z.object({ slug: infoSlug }),
    output: answer(infoPage),
  }),

  listDigitalProducts: endpoint({
    ...addresses.listDigitalProducts,
    access: 'public',
    limit: 'catalogue',
    summary: 'Active digital products',
    query: productListQuery,
    output: productPage,
  }),
  listCategories: endpoint({
    ...addresses.listCategories,
    access: 'public',
    limit: 'catalogue',
    summary: 'Categories with their total stock',
    output: list(categoryEntry),
  }),
  getDigitalProduct: endpoint({
    ...addresses.getDigitalProduct,
    access: 'public',
    limit: 'catalogue',
    summary: 'One active product',
    params: z.object({ id }),
    output: answer(digitalProduct),
  }),

  createPaymentIntent: endpoint({
    ...addresses.createPaymentIntent,
    access: 'customer',
    summary: 'Price the cart, hold the goods, open a payment',
    body: createIntentBody,
    errors: createIntentErrors,
    output: createIntentAnswer,
  }),
  createGuestPaymentIntent: endpoint({
    ...addresses.createGuestPaymentIntent,
    access: 'public',
    summary: 'The same for a guest',
    body: createGuestIntentBody,
    errors: createIntentErrors,
    output: createIntentAnswer,
  }),
  placeOrder: endpoint({
    ...addresses.placeOrder,
    access: 'customer',
    summary: 'Finish an order whose card was confirmed',
    body: placeOrderBody,
    status: 201,
    errors: ['NOT_FOUND', 'ORDER_MISMATCH', 'PRICE_CHANGED', 'PAYMENT_NOT_CONFIRMED', 'PAYMENT_MISMATCH'],
    output: answer(order),
  }),
  placeGuestOrder: endpoint({
    ...addresses.placeGuestOrder,
    access: 'public',
    summary: 'The same for a guest; sets the password of a new account',
    body: placeGuestOrderBody,
    status: 201,
    errors: [
      'NOT_FOUND',
      'ORDER_MISMATCH',
      'PRICE_CHANGED',
      'PAYMENT_NOT_CONFIRMED',
      'PAYMENT_MISMATCH',
      'ACCOUNT_BLOCKED',
      'INVALID_CREDENTIALS',
      'RATE_LIMITED',
    ],
    output: answer(guestOrder),
  }),
  getCheckout: endpoint({
    ...addresses.getCheckout,
    access: 'public',
    personal: true,
    summary: 'The order this browser was last paying',
    output: answer(z.nullable(checkoutStatus)),
  }),
  getPaymentStatus: endpoint({
    ...addresses.getPaymentStatus,
    access: 'public',
    personal: true,
    summary: 'How the payment stands that this browser last began',
    output: answer(z.nullable(paymentStatus)),
  }),
  finishCheckout: endpoint({
    ...addresses.finishCheckout,
    access: 'public',
    summary: 'Set the password after a payment whose page was closed',
    body: finishCheckoutBody,
    errors: [
      'NOT_FOUND',
      'PAYMENT_NOT_CONFIRMED',
      'PAYMENT_MISMATCH',
      'ACCOUNT_BLOCKED',
      'INVALID_CREDENTIALS',
      'RATE_LIMITED',
    ],
    output: answer(guestOrder),
  }),
  leaveCheckout: endpoint({
    ...addresses.leaveCheckout,
    access: 'public',
    summary:
      'Forget which order this browser was paying, once its buyer has it or knows that it waits for its e-mail',
    output: done,
  }),
  abandonCheckout: endpoint({
    ...addresses.abandonCheckout,
    access: 'public',
    summary: 'Put the goods of an order back on sale that this browser opened and does not pay',
    body: abandonCheckoutBody,
    errors: ['PAYMENT_NOT_CONFIRMED'],
    output: done,
  }),
  getWaitingOrder: endpoint({
    ...addresses.getWaitingOrder,
    access: 'public',
    personal: true,
    summary: 'The paid order of this browser that waits until its e-mail is verified',
    output: answer(z.nullable(waitingOrder)),
  }),
  mailVerifyLink: endpoint({
    ...addresses.mailVerifyLink,
    access: 'public',
    summary: 'Mail the link again that verifies the e-mail of that order',
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
    output: done,
  }),
  listDigitalOrders: endpoint({
    ...addresses.listDigitalOrders,
    access: 'customer',
    summary: 'My digital orders, newest first',
    output: list(order),
  }),
  listPhysicalOrders: endpoint({
    ...addresses.listPhysicalOrders,
    access: 'customer',
    summary: 'My physical orders, newest first',
    output: list(order),
  }),
  getOrderItems: endpoint({
    ...addresses.getOrderItems,
    access: 'customer',
    summary: 'The delivered secrets of one of my orders',
    params: z.object({ orderId: id }),
    errors: ['RATE_LIMITED'],
    output: answer(deliveredItems),
  }),

  ...accountEndpoints,
  ...emailEndpoints,
  ...adminEndpoints,
} as const satisfies { [Name in keyof typeof addresses]: Endpoint & (typeof addresses)[Name] };

export type Api = typeof api;
