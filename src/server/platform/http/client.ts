// Declares `parseCookie` of Fastify.
import type {} from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { Role } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import { NO_SESSION, SESSION_EXPIRED } from '../../../shared/session-messages.ts';

/** The sender of a request, for sessions and the audit log. */
export type Client = { ip: string; userAgent: string };

const MAX_USER_AGENT = 300;

export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
});

/** Parses a cookie of the form `{id}.{secret}` or `{id}.{secret}.{mark}`; undefined for any other value. */
export function readSecretCookie(request: FastifyRequest, name: string) {
  const value = request.server.parseCookie(request.headers.cookie ?? '')[name] ?? '';
  const [, id = '', secret = '', mark] = /^([0-9a-f-]{36})\.([\w-]{43})(?:\.([a-z]+))?$/.exec(value) ?? [];
  return z.uuid().safeParse(id).success ? { id, secret, mark } : undefined;
}

/** The signed-in user of a request, as read from the database for this request. */
export interface Viewer {
  userId: string;
  sessionId: string;
  /** When the password or a two-factor code was last entered in the session. */
  authenticatedAt: Date;
  role: Role;
  email: string;
  name: string;
  phone: string;
}

/**
 * The author of a change, as the audit log records it. A command has no user. `sessionId` is the administrator's
 * session, which must still be live when the change is recorded (writeAudit).
 */
export type Actor = { userId: string | null; name: string; ip: string; sessionId?: string };

/** Finds the live session behind a bearer token; throws UNAUTHENTICATED. */
export type Authenticate = (bearerToken: string) => Promise<Viewer>;

/** The bearer token of the Authorization header, the only place where a token is accepted. */
export function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '');
  if (!match?.[1]) throw new AppError('UNAUTHENTICATED', NO_SESSION);
  return match[1];
}

export const sessionExpired = () => new AppError('UNAUTHENTICATED', SESSION_EXPIRED);

export const accessDenied = () => new AppError('FORBIDDEN', 'Access denied. Administrator privileges required.');
