import * as z from 'zod/mini';
import { newPassword, typedPassword } from './passwords.ts';
import { email, id, line, personName, phone, requiredLine, timestamp } from './text.ts';

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

export const signedIn = z.object({ success: z.literal(true), token: z.string(), user });

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
export const loginBody = z.union([secondStepBody, passwordStepBody]);

/** Only taken where OPEN_REGISTRATION lets strangers make accounts. */
export const registerBody = z.object({ name: personName, email, password: newPassword });

/** No session yet: the pending token and a code are asked for. */
const secondStepAsked = z.object({
  success: z.literal(true),
  requiresTwoFactor: z.literal(true),
  pendingToken: z.string(),
  message: z.string(),
});

export const loginAnswer = z.union([secondStepAsked, signedIn]);

/** The token of a mailed link, as it stands in the link. */
const linkToken = z.string().check(z.minLength(1), z.maxLength(200));

/** An address as a person types it; any of it may stay empty. */
export const typedAddress = z.object({
  street: line(200),
  city: line(100),
  state: line(100),
  zipCode: line(20),
  country: line(100),
});

export const detailsBody = z.object({
  name: personName,
  email,
  phone,
  address: typedAddress,
});

/** A new address stands in `pendingEmail` until its owner clicked the link mailed to it. */
export const detailsAnswer = z.object({
  success: z.literal(true),
  data: user,
  token: z.string(),
  pendingEmail: z.nullable(z.string()),
});

/** A new e-mail that its owner has yet to confirm. */
export const pendingEmail = z.object({ email, expiresAt: timestamp });
export type PendingEmail = z.infer<typeof pendingEmail>;

export const passwordBody = z.object({ currentPassword: typedPassword, newPassword });

/** The other sessions have ended; this one goes on under the token. */
export const passwordAnswer = z.object({ success: z.literal(true), token: z.string() });

export const forgotPasswordBody = z.object({ email });
export const resetPasswordBody = z.object({ resetToken: linkToken, password: newPassword });
export const confirmEmailBody = z.object({ confirmToken: linkToken });

export const undoEmailBody = z.object({ undoToken: linkToken, code: z.optional(requiredLine(100)) });

/** The address that the account has again; or, with nothing undone yet, that its code is asked for. */
export const undoEmailAnswer = z.union([
  z.object({ success: z.literal(true), requiresTwoFactor: z.literal(true), message: z.string() }),
  z.object({ success: z.literal(true), data: z.object({ email: z.string() }) }),
]);

/** The password, or where two-factor is on a code of the authenticator app or a backup code. */
export const reauthenticateBody = z.union([
  z.object({ code: requiredLine(100) }),
  z.object({ password: typedPassword }),
]);

export const session = z.object({
  id,
  /** The browser's own description of itself. */
  userAgent: z.string(),
  ip: z.string(),
  createdAt: timestamp,
  lastSeenAt: timestamp,
  expiresAt: timestamp,
  /** The one that asks. */
  current: z.boolean(),
});
export type SessionEntry = z.infer<typeof session>;

/** The single-use link in an order's mail: proves the address and sets a password. */
export const claimBody = z.object({
  claimToken: linkToken,
  password: newPassword,
});
