import * as z from 'zod/mini';
import { dataResponse, type Endpoints, okResponse } from './endpoint.ts';
import { newPassword, typedPassword } from './passwords.ts';
import { email, id, line, personName, requiredLine, timestamp } from './text.ts';

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
  /** Its owner has clicked a link that was mailed to it. */
  emailVerified: z.boolean(),
  phone: z.string(),
  role,
  address,
  createdAt: timestamp,
});

export type User = z.infer<typeof user>;

const signedIn = z.object({ success: z.literal(true), token: z.string(), user });

/** The second step of a login: an authenticator's code, or one of the backup codes in its place. */
const secondStepBody = z.object({
  twoFactorToken: requiredLine(100),
  pendingToken: z.string().check(z.minLength(1), z.maxLength(2_000)),
});

const passwordStepBody = z.object({
  email,
  password: typedPassword,
  /** Asks for a session of 30 days instead of 12 hours. */
  rememberMe: z.optional(z.boolean()),
});

/** The password's step last: what comes no nearer to either is told what that lacks. */
const loginBody = z.union([secondStepBody, passwordStepBody]);

/** Only taken where OPEN_REGISTRATION lets strangers make accounts. */
const registerBody = z.object({ name: personName, email, password: newPassword });

/** No session yet: the pending token and a code are asked for. */
const secondStepAsked = z.object({
  success: z.literal(true),
  requiresTwoFactor: z.literal(true),
  pendingToken: z.string(),
  message: z.string(),
});

const loginAnswer = z.union([secondStepAsked, signedIn]);

/** The token of a mailed link, as it stands in the link. */
export const linkToken = z.string().check(z.minLength(1), z.maxLength(200));

/** An address as a person types it; any of it may stay empty. */
export const typedAddress = z.object({
  street: line(200),
  city: line(100),
  state: line(100),
  zipCode: line(20),
  country: line(100),
});

const forgotPasswordBody = z.object({ email });

const resetPasswordBody = z.object({ resetToken: linkToken, password: newPassword });

/** The single-use link in an order's mail: proves the address and sets a password. */
const claimBody = z.object({ claimToken: linkToken, password: newPassword });

/** Signing in, and the ways back into an account. */
export const accountEndpoints = {
  'POST /auth/login': {
    access: 'public',
    summary: 'Sign in, in one step or, with two-factor, in two',
    body: loginBody,
    errors: ['INVALID_CREDENTIALS', 'INVALID_CODE', 'UNAUTHENTICATED', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: loginAnswer,
  },
  'POST /auth/register': {
    access: 'public',
    summary: 'Make an account without buying, where the shop allows it; else 403',
    body: registerBody,
    errors: ['REGISTRATION_CLOSED', 'EMAIL_TAKEN', 'RATE_LIMITED'],
    output: signedIn,
  },
  'POST /auth/logout': { access: 'customer', summary: 'End this session', output: okResponse },
  'GET /auth/me': { access: 'customer', summary: 'Who is signed in', output: dataResponse(user) },
  'POST /auth/forgotpassword': {
    access: 'public',
    summary: 'Mail a link for a new password; the same answer whether or not the address is known',
    body: forgotPasswordBody,
    errors: ['RATE_LIMITED'],
    output: okResponse,
  },
  'POST /auth/resetpassword': {
    access: 'public',
    summary: 'Set a new password by the mailed link and end all sessions; answers whose it is',
    body: resetPasswordBody,
    errors: ['LINK_INVALID', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: dataResponse(z.object({ email })),
  },
  'POST /auth/claim': {
    access: 'public',
    summary: 'Prove an e-mail by the link mailed to it and set a password',
    body: claimBody,
    errors: ['LINK_INVALID', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: signedIn,
  },
} as const satisfies Endpoints;
