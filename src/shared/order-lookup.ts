import * as z from 'zod/mini';
import { deliveredItems, order } from './orders.ts';
import { email, id } from './text.ts';

export const LOOKUP_CODE_LENGTH = 6;

/** What a buyer without a password knows of an order: its address, and the number in their mail. */
export const orderLookupBody = z.object({
  email,
  orderNumber: z
    .string()
    .check(
      z.trim(),
      z.toUpperCase(),
      z.regex(/^#?[0-9A-F]{8}$/, 'must be the 8 characters of an order number'),
    ),
});

/** The same whether or not there is such an order: only then a code is mailed. */
export const orderLookupAsked = z.object({ lookupId: id });

export const openLookupBody = z.object({
  lookupId: id,
  code: z.string().check(z.trim(), z.regex(/^[0-9]{6}$/, 'Please enter a 6-digit code')),
});

/** The order with its delivered secrets; `delivered` is null while there are none to show. */
export const openedOrder = z.object({ order, delivered: z.nullable(deliveredItems) });
export type OpenedOrder = z.infer<typeof openedOrder>;
