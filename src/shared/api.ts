import * as z from 'zod/mini';
import { claimBody, loginBody, signedIn, user } from './accounts.ts';
import { categoryEntry, digitalProduct, productListQuery } from './catalog.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import {
  checkoutStatus,
  createGuestIntentBody,
  createIntentAnswer,
  createIntentBody,
  deliveredItems,
  finishCheckoutBody,
  guestOrder,
  order,
  placeGuestOrderBody,
  placeOrderBody,
} from './orders.ts';
import { shop } from './shop.ts';
import { id } from './text.ts';

const success = z.literal(true);
const answer = <T extends z.ZodMiniType>(data: T) => z.object({ success, data });
const done = z.object({ success });
const list = <T extends z.ZodMiniType>(entry: T) => answer(z.array(entry));

/** Every call of the shop, under /api. The server answers from it, the browser calls by it, /api/docs prints it. */
export const api = {
  getShop: endpoint({
    method: 'GET',
    path: '/shop',
    access: 'public',
    summary: 'What the browser must know of this shop',
    output: answer(shop),
  }),

  listDigitalProducts: endpoint({
    method: 'GET',
    path: '/digital-products',
    access: 'public',
    summary: 'Active digital products',
    query: productListQuery,
    output: z.object({ success, data: z.array(digitalProduct), nextCursor: z.nullable(z.string()) }),
  }),
  listCategories: endpoint({
    method: 'GET',
    path: '/digital-products/categories/list',
    access: 'public',
    summary: 'Categories with their total stock',
    output: list(categoryEntry),
  }),
  getDigitalProduct: endpoint({
    method: 'GET',
    path: '/digital-products/:id',
    access: 'public',
    summary: 'One active product',
    params: z.object({ id }),
    output: answer(digitalProduct),
  }),

  createPaymentIntent: endpoint({
    method: 'POST',
    path: '/digital-orders/create-payment-intent',
    access: 'customer',
    summary: 'Price the cart, hold the goods, open a payment',
    body: createIntentBody,
    output: createIntentAnswer,
  }),
  createGuestPaymentIntent: endpoint({
    method: 'POST',
    path: '/digital-orders/guest/create-payment-intent',
    access: 'public',
    summary: 'The same for a guest',
    body: createGuestIntentBody,
    output: createIntentAnswer,
  }),
  placeOrder: endpoint({
    method: 'POST',
    path: '/digital-orders',
    access: 'customer',
    summary: 'Finish an order whose card was confirmed',
    body: placeOrderBody,
    status: 201,
    output: answer(order),
  }),
  placeGuestOrder: endpoint({
    method: 'POST',
    path: '/digital-orders/guest',
    access: 'public',
    summary: 'The same for a guest; sets the password of a new account',
    body: placeGuestOrderBody,
    status: 201,
    output: answer(guestOrder),
  }),
  getCheckout: endpoint({
    method: 'GET',
    path: '/digital-orders/guest/checkout',
    access: 'public',
    personal: true,
    summary: 'The order this browser was last paying',
    output: answer(z.nullable(checkoutStatus)),
  }),
  finishCheckout: endpoint({
    method: 'POST',
    path: '/digital-orders/guest/checkout',
    access: 'public',
    summary: 'Set the password after a payment whose page was closed',
    body: finishCheckoutBody,
    output: answer(guestOrder),
  }),
  leaveCheckout: endpoint({
    method: 'DELETE',
    path: '/digital-orders/guest/checkout',
    access: 'public',
    summary: 'Forget which order this browser was paying, once its buyer has it',
    output: done,
  }),
  listDigitalOrders: endpoint({
    method: 'GET',
    path: '/digital-orders/myorders',
    access: 'customer',
    summary: 'My digital orders, newest first',
    output: list(order),
  }),
  listPhysicalOrders: endpoint({
    method: 'GET',
    path: '/orders/myorders',
    access: 'customer',
    summary: 'My physical orders, newest first',
    output: list(order),
  }),
  getOrderItems: endpoint({
    method: 'GET',
    path: '/digital-orders/:orderId/items',
    access: 'customer',
    summary: 'The delivered secrets of one of my orders',
    params: z.object({ orderId: id }),
    output: answer(deliveredItems),
  }),

  login: endpoint({
    method: 'POST',
    path: '/auth/login',
    access: 'public',
    summary: 'Sign in',
    body: loginBody,
    output: signedIn,
  }),
  register: endpoint({
    method: 'POST',
    path: '/auth/register',
    access: 'public',
    summary: 'Closed: accounts come by buying',
    output: done,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/auth/logout',
    access: 'customer',
    summary: 'End this session',
    output: done,
  }),
  getMe: endpoint({
    method: 'GET',
    path: '/auth/me',
    access: 'customer',
    summary: 'Who is signed in',
    output: answer(user),
  }),
  claimAccount: endpoint({
    method: 'POST',
    path: '/auth/claim',
    access: 'public',
    summary: 'Prove an e-mail by the link mailed to it and set a password',
    body: claimBody,
    output: signedIn,
  }),
} as const satisfies Record<string, Endpoint>;

export type Api = typeof api;
