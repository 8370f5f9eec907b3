import * as z from 'zod/mini';
import { newPassword, typedPassword } from './passwords.ts';
import { email, id, timestamp } from './text.ts';

export const DEFAULT_COUNTRY = 'Malaysia';

export const address = z.object({
  street: z.string(),
  city: z.string(),
  state: z.string(),
  zipCode: z.string(),
  country: z.string(),
});

export const role = z.enum(['customer', 'admin']);
export type Role = z.infer<typeof role>;

export const user = z.object({
  _id: id,
  name: z.string(),
  email: z.string(),
  phone: z.string(),
  role,
  address,
  createdAt: timestamp,
});
export type User = z.infer<typeof user>;

export const signedIn = z.object({ success: z.literal(true), token: z.string(), user });

export const loginBody = z.object({
  email,
  password: typedPassword,
  /** Asks for a session of 30 days instead of 12 hours. */
  rememberMe: z.optional(z.boolean()),
});

/** The single-use link in an order's mail: proves the address and sets a password. */
export const claimBody = z.object({
  claimToken: z.string().check(z.minLength(1), z.maxLength(200)),
  password: newPassword,
});
