import * as z from 'zod/mini';
import { accountEndpoints } from './account-endpoints.ts';
import { adminEndpoints } from './admin-endpoints.ts';
import { categoryEntry, digitalProduct, productListQuery, productPage } from './catalog.ts';
import { emailEndpoints } from './email-endpoints.ts';
import {
  dataResponse,
  type Endpoint,
  type Endpoints,
  listResponse,
  type NamedEndpoint,
  okResponse,
  success,
  withName,
} from './endpoint.ts';
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
  'GET /shop': {
    access: 'public',
    summary: 'What the browser must know of this shop',
    output: dataResponse(shop),
  },
  'GET /location': {
    access: 'public',
    personal: true,
    summary: 'From which country this visitor comes; empty where that is unknown',
    output: z.extend(location, { success }),
  },
  'GET /info-pages/:slug': {
    access: 'public',
    summary: 'One information page',
    params: z.object({ slug: infoSlug }),
    output: dataResponse(infoPage),
  },

  'GET /digital-products': {
    access: 'public',
    limit: 'catalogue',
    summary: 'Active digital products',
    query: productListQuery,
    output: productPage,
  },
  'GET /digital-products/categories/list': {
    access: 'public',
    limit: 'catalogue',
    summary: 'Categories with their total stock',
    output: listResponse(categoryEntry),
  },
  'GET /digital-products/:id': {
    access: 'public',
    limit: 'catalogue',
    summary: 'One active product',
    params: z.object({ id }),
    output: dataResponse(digitalProduct),
  },

  'POST /digital-orders/create-payment-intent': {
    access: 'customer',
    summary: 'Price the cart, hold the goods, open a payment',
    body: createIntentBody,
    errors: createIntentErrors,
    output: createIntentAnswer,
  },
  'POST /digital-orders/guest/create-payment-intent': {
    access: 'public',
    summary: 'The same for a guest',
    body: createGuestIntentBody,
    errors: createIntentErrors,
    output: createIntentAnswer,
  },
  'POST /digital-orders': {
    access: 'customer',
    summary: 'Finish an order whose card was confirmed',
    body: placeOrderBody,
    status: 201,
    errors: ['NOT_FOUND', 'ORDER_MISMATCH', 'PRICE_CHANGED', 'PAYMENT_NOT_CONFIRMED', 'PAYMENT_MISMATCH'],
    output: dataResponse(order),
  },
  'POST /digital-orders/guest': {
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
    output: dataResponse(guestOrder),
  },
  'GET /digital-orders/guest/checkout': {
    access: 'public',
    personal: true,
    summary: 'The order this browser was last paying',
    output: dataResponse(z.nullable(checkoutStatus)),
  },
  'GET /digital-orders/guest/checkout/payment': {
    access: 'public',
    personal: true,
    summary: 'How the payment stands that this browser last began',
    output: dataResponse(z.nullable(paymentStatus)),
  },
  'POST /digital-orders/guest/checkout': {
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
    output: dataResponse(guestOrder),
  },
  'DELETE /digital-orders/guest/checkout': {
    access: 'public',
    summary:
      'Forget which order this browser was paying, once its buyer has it or knows that it waits for its e-mail',
    output: okResponse,
  },
  'POST /digital-orders/guest/checkout/abandon': {
    access: 'public',
    summary: 'Put the goods of an order back on sale that this browser opened and does not pay',
    body: abandonCheckoutBody,
    errors: ['PAYMENT_NOT_CONFIRMED'],
    output: okResponse,
  },
  'GET /digital-orders/guest/waiting': {
    access: 'public',
    personal: true,
    summary: 'The paid order of this browser that waits until its e-mail is verified',
    output: dataResponse(z.nullable(waitingOrder)),
  },
  'POST /digital-orders/guest/waiting/verify-link': {
    access: 'public',
    summary: 'Mail the link again that verifies the e-mail of that order',
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
    output: okResponse,
  },
  'GET /digital-orders/myorders': {
    access: 'customer',
    summary: 'My digital orders, newest first',
    output: listResponse(order),
  },
  'GET /orders/myorders': {
    access: 'customer',
    summary: 'My physical orders, newest first',
    output: listResponse(order),
  },
  'GET /digital-orders/:orderId/items': {
    access: 'customer',
    summary: 'The delivered secrets of one of my orders',
    params: z.object({ orderId: id }),
    errors: ['RATE_LIMITED'],
    output: dataResponse(deliveredItems),
  },

  ...accountEndpoints,
  ...emailEndpoints,
  ...adminEndpoints,
} as const satisfies Endpoints;

export type Api = typeof api;

export const endpoints: readonly NamedEndpoint[] = Object.entries<Endpoint>(api).map(([name, endpoint]) =>
  withName(name, endpoint),
);
