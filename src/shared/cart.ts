import * as z from 'zod/mini';
import { MAX_UNITS_PER_LINE } from './cart-rules.ts';
import { digitalProduct } from './catalog.ts';
import { id } from './text.ts';

const quantity = z.int().check(z.minimum(1), z.maximum(MAX_UNITS_PER_LINE));

/** A line of a customer's cart as the server keeps it; its id is the product's. */
export const cartEntry = z.object({ _id: id, product: digitalProduct, quantity: z.int() });
export type CartEntry = z.infer<typeof cartEntry>;

export const addToCartBody = z.object({ productId: id, quantity: z._default(quantity, 1) });
export const setCartQuantityBody = z.object({ quantity });
