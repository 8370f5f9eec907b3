import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { updateOrderStatusBody } from '../../shared/order-changes.ts';
import { createPhysicalProductBody } from '../../shared/products.ts';
import { line } from '../../shared/text.ts';
import { emailLimit, maxLengthOf, passwordLimit } from './form-fields.ts';

it('the limit of a field is that of its schema', () => {
  expect(maxLengthOf(line(40))).toBe(40);
  expect(emailLimit).toEqual({ maxLength: 254 });
  expect(passwordLimit).toEqual({ maxLength: 200 });
  expect(maxLengthOf(updateOrderStatusBody.shape.carrier)).toBe(100);
  expect(maxLengthOf(createPhysicalProductBody.shape.description)).toBe(10_000);
  expect(() => maxLengthOf(z.string())).toThrow('This text has no limit');
});
