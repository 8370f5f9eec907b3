import * as z from 'zod/mini';
import { line } from '../../../shared/text.ts';
import { emailField, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';

const contactFields = {
  name: line(100).check(z.minLength(1, 'Please enter your full name')),
  email: emailField,
  phone: line(40).check(z.maxLength(40, 'Please enter at most 40 characters')),
};

/** A guest also chooses the password of the account that the purchase makes. */
export const guestContact = z
  .object({ ...contactFields, ...passwordPair('Please provide a password to create your account') })
  .check(passwordsMatch);

export const customerContact = z.object({
  ...contactFields,
  password: z.string(),
  confirmPassword: z.string(),
});

export type Contact = z.infer<typeof guestContact>;
