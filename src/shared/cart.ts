import * as z from 'zod/mini';
import { MAX_UNITS_PER_LINE } from './cart-rules.ts';
import { digitalProduct } from './catalog.ts';
import { type Endpoints, listResponse } from './endpoint.ts';
import { id, idParams } from './text.ts';

const quantity = z.int().check(z.minimum(1), z.maximum(MAX_UNITS_PER_LINE));

/** A line of a customer's cart as the server keeps it; its id is the product's. */
export const cartEntry = z.object({ _id: id, product: digitalProduct, quantity: z.int() });

export type CartEntry = z.infer<typeof cartEntry>;

const addToCartBody = z.object({ productId: id, quantity: z._default(quantity, 1) });

const setCartQuantityBody = z.object({ quantity });

/** The cart that follows a customer between devices. */
export const cartEndpoints = {
  'GET /users/cart': {
    access: 'customer',
    summary: 'The cart that follows me between devices',
    output: listResponse(cartEntry),
  },
  'POST /users/cart': {
    access: 'customer',
    summary: 'Put units of a product into my cart',
    body: addToCartBody,
    errors: ['NOT_FOUND', 'OUT_OF_STOCK'],
    output: listResponse(cartEntry),
  },
  'PUT /users/cart/:id': {
    access: 'customer',
    summary: 'Set the units of a product in my cart',
    params: idParams,
    body: setCartQuantityBody,
    errors: ['OUT_OF_STOCK'],
    output: listResponse(cartEntry),
  },
  'DELETE /users/cart/:id': {
    access: 'customer',
    summary: 'Take a product out of my cart',
    params: idParams,
    output: listResponse(cartEntry),
  },
  'DELETE /users/cart': { access: 'customer', summary: 'Empty my cart', output: listResponse(cartEntry) },
} as const satisfies Endpoints;
