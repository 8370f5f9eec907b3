import * as z from 'zod/mini';
import { MAX_UNITS_PER_LINE } from './cart-rules.ts';
import { product } from './catalog.ts';
import { type Endpoints, forCustomers, listResponse } from './endpoint.ts';
import { id, idParams } from './text.ts';

export const quantity = z.int().check(z.minimum(1), z.maximum(MAX_UNITS_PER_LINE));

/** A line of a customer's cart; `_id` is the id of the product. */
const cartEntry = z.object({ _id: id, product, quantity: z.int() });
export type CartEntry = z.infer<typeof cartEntry>;

const output = listResponse(cartEntry);

export const cartEndpoints = {
  'GET /users/cart': forCustomers('My cart, which is the same on all my devices', { output }),
  'POST /users/cart': forCustomers('Put units of a product into my cart', {
    body: z.object({ productId: id, quantity: z._default(quantity, 1) }),
    errors: ['NOT_FOUND', 'OUT_OF_STOCK'],
    output,
  }),
  'PUT /users/cart/:id': forCustomers('Set the units of a product in my cart', {
    params: idParams,
    body: z.object({ quantity }),
    errors: ['OUT_OF_STOCK'],
    output,
  }),
  'DELETE /users/cart/:id': forCustomers('Take a product out of my cart', { params: idParams, output }),
  'DELETE /users/cart': forCustomers('Empty my cart', { output }),
} as const satisfies Endpoints;
