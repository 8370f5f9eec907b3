import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAll, forCustomers, okResponse, success } from './endpoint.ts';
import { newPassword, typedPassword } from './passwords.ts';
import { email, id, line, personName, timestamp } from './text.ts';
import { typedCode } from './two-factor.ts';

export const DEFAULT_COUNTRY = 'Malaysia';

// For responses: without length limits, so that every stored address passes.
export const address = z.object({
  street: z.string(),
  city: z.string(),
  state: z.string(),
  zipCode: z.string(),
  country: z.string(),
});

/** Every field may be empty. */
export const typedAddress = z.object({
  street: line(200),
  city: line(100),
  state: line(100),
  zipCode: line(20),
  country: line(100),
});

export const role = z.enum(['customer', 'admin']);
export type Role = z.infer<typeof role>;

export const user = z.object({
  _id: id,
  name: z.string(),
  email: z.string(),
  /** Verified by a mailed link. */
  emailVerified: z.boolean(),
  phone: z.string(),
  role,
  address,
  createdAt: timestamp,
});
export type User = z.infer<typeof user>;

const signedIn = z.object({ success, token: z.string(), user });

export const linkToken = z.string().check(z.minLength(1), z.maxLength(200));

export const accountEndpoints = {
  'POST /auth/login': forAll('Sign in, in one step or, with two-factor, in two', {
    // The password step is last: for a body that matches neither step equally, the error names a field of this one.
    body: z.union([
      /** Second step. */
      z.object({ twoFactorToken: typedCode, pendingToken: z.string().check(z.minLength(1), z.maxLength(2_000)) }),
      /** `rememberMe`: a session of 30 days instead of 12 hours. */
      z.object({ email, password: typedPassword, rememberMe: z.optional(z.boolean()) }),
    ]),
    errors: ['INVALID_CREDENTIALS', 'INVALID_CODE', 'UNAUTHENTICATED', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: z.union([
      z.object({ success, requiresTwoFactor: z.literal(true), pendingToken: z.string(), message: z.string() }),
      signedIn,
    ]),
  }),
  'POST /auth/register': forAll('Create an account without buying; 403 unless the shop allows it', {
    body: z.object({ name: personName, email, password: newPassword }),
    errors: ['REGISTRATION_CLOSED', 'EMAIL_TAKEN', 'RATE_LIMITED'],
    output: signedIn,
  }),
  'POST /auth/logout': forCustomers('End this session', { output: okResponse }),
  'GET /auth/me': forCustomers('Who is signed in', { output: dataResponse(user) }),
  'POST /auth/forgotpassword': forAll(
    'Mail a link for a new password; the response is the same whether or not the address is known',
    { body: z.object({ email }), errors: ['RATE_LIMITED'], output: okResponse },
  ),
  'POST /auth/resetpassword': forAll(
    'Set a new password by the mailed link and end all sessions; answers whose it is',
    {
      body: z.object({ resetToken: linkToken, password: newPassword }),
      errors: ['LINK_INVALID', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
      output: dataResponse(z.object({ email })),
    },
  ),
  'POST /auth/claim': forAll('Prove an email by the link mailed to it and set a password', {
    body: z.object({ claimToken: linkToken, password: newPassword }),
    errors: ['LINK_INVALID', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: signedIn,
  }),
} as const satisfies Endpoints;
