import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAll, forCustomers, listResponse, okResponse, success } from './endpoint.ts';
import { newPassword, typedPassword } from './passwords.ts';
import { email, id, idParams, line, personName, phone, timestamp } from './text.ts';
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

const linkToken = z.string().check(z.minLength(1), z.maxLength(200));

export const pendingEmail = z.object({ email, expiresAt: timestamp });
export type PendingEmail = z.infer<typeof pendingEmail>;

export const session = z.object({
  id,
  userAgent: z.string(),
  ip: z.string(),
  createdAt: timestamp,
  lastSeenAt: timestamp,
  expiresAt: timestamp,
  current: z.boolean(),
});
export type SessionEntry = z.infer<typeof session>;

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
  'PUT /auth/updatedetails': forCustomers(
    'Change my details; a new email counts once the link mailed to it is clicked',
    {
      body: z.object({ name: personName, email, phone, address: typedAddress }),
      errors: ['REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
      /** `pendingEmail` is the new e-mail until the link mailed to it is opened. */
      output: z.object({ success, data: user, token: z.string(), pendingEmail: z.nullable(z.string()) }),
    },
  ),
  'PUT /auth/updatepassword': forCustomers('Change my password and end my other sessions', {
    body: z.object({ currentPassword: typedPassword, newPassword }),
    errors: ['RATE_LIMITED'],
    output: z.object({ success, token: z.string() }),
  }),
  'POST /auth/reauthenticate': forCustomers(
    'Enter the password or a code again in this session, for calls rejected with REAUTHENTICATION_REQUIRED',
    {
      /** A code is accepted only if two-factor is on. */
      body: z.union([z.object({ code: typedCode }), z.object({ password: typedPassword })]),
      errors: ['INVALID_CODE', 'TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
      output: okResponse,
    },
  ),
  'GET /auth/sessions': forCustomers('Where I am signed in, the latest first', { output: listResponse(session) }),
  'DELETE /auth/sessions': forCustomers('Sign out everywhere else', { output: okResponse }),
  'DELETE /auth/sessions/:id': forCustomers('Sign out one device', { params: idParams, output: okResponse }),
  'POST /auth/verifyemail': forCustomers('Mail a link that verifies my address', {
    errors: ['RATE_LIMITED'],
    output: okResponse,
  }),
  'GET /auth/pendingemail': forCustomers('My new email that is not confirmed yet; null when there is none', {
    output: dataResponse(z.nullable(pendingEmail)),
  }),
  'POST /auth/pendingemail': forCustomers('Mail the link to my new email again; earlier links end', {
    errors: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'RATE_LIMITED'],
    output: dataResponse(pendingEmail),
  }),
  'DELETE /auth/pendingemail': forCustomers('Cancel the change of my email; ends the links to the new address', {
    output: okResponse,
  }),
  'POST /auth/confirmemail': forCustomers(
    'Prove an address by the link mailed to it, signed in to the account that asked for the link',
    {
      body: z.object({ confirmToken: linkToken }),
      errors: ['LINK_INVALID', 'FORBIDDEN', 'EMAIL_TAKEN', 'ACCOUNT_BLOCKED'],
      output: dataResponse(z.object({ email })),
    },
  ),
  'POST /auth/undoemail': forAll(
    'Restore the old address of an account by the link mailed to it, and end all sessions',
    {
      body: z.object({ undoToken: linkToken, code: z.optional(typedCode) }),
      errors: ['LINK_INVALID', 'INVALID_CODE', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
      /** With `requiresTwoFactor`, nothing was undone yet: repeat the call with a code of the account. */
      output: z.union([
        z.object({ success, requiresTwoFactor: z.literal(true), message: z.string() }),
        dataResponse(z.object({ email: z.string() })),
      ]),
    },
  ),
} as const satisfies Endpoints;
