import * as z from 'zod/mini';
import { personName, phone } from '../../../shared/text.ts';
import { emailField, filled, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';

const contactFields = { name: filled('Please enter your full name', personName), email: emailField, phone };

/** A guest also chooses a password for the account that the purchase creates. */
export const guestContact = z
  .object({ ...contactFields, ...passwordPair('Please provide a password to create your account') })
  .check(passwordsMatch);

export const customerContact = z.object({ ...contactFields, password: z.string(), confirmPassword: z.string() });

export type Contact = z.infer<typeof guestContact>;
