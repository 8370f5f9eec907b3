import * as z from 'zod/mini';
import { MAX_UNITS_PER_LINE } from './cart-rules.ts';
import { digitalProduct } from './catalog.ts';
import { type Endpoints, listResponse } from './endpoint.ts';
import { id, idParams } from './text.ts';

const quantity = z.int().check(z.minimum(1), z.maximum(MAX_UNITS_PER_LINE));

/** A line of a customer's cart; its id is the product's. */
const cartEntry = z.object({ _id: id, product: digitalProduct, quantity: z.int() });
export type CartEntry = z.infer<typeof cartEntry>;

const answersCart = { access: 'customer', output: listResponse(cartEntry) } as const;

/** The cart that follows a customer between devices. */
export const cartEndpoints = {
  'GET /users/cart': { ...answersCart, summary: 'The cart that follows me between devices' },
  'POST /users/cart': {
    ...answersCart,
    summary: 'Put units of a product into my cart',
    body: z.object({ productId: id, quantity: z._default(quantity, 1) }),
    errors: ['NOT_FOUND', 'OUT_OF_STOCK'],
  },
  'PUT /users/cart/:id': {
    ...answersCart,
    summary: 'Set the units of a product in my cart',
    params: idParams,
    body: z.object({ quantity }),
    errors: ['OUT_OF_STOCK'],
  },
  'DELETE /users/cart/:id': { ...answersCart, summary: 'Take a product out of my cart', params: idParams },
  'DELETE /users/cart': { ...answersCart, summary: 'Empty my cart' },
} as const satisfies Endpoints;
