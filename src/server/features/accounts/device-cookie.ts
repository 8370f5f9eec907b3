import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { readSecretCookie } from '../../platform/http/client.ts';

/** A browser in which `userId` has signed in, as its cookie claims; findDevice checks the token. */
export type Device = { userId: string; token: string };

const COOKIE = 'device';
const PATH = '/api/auth';
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;
export const DEVICE_MS = MAX_AGE_SECONDS * 1_000;

export function readDeviceCookie(request: FastifyRequest): Device | undefined {
  const cookie = readSecretCookie(request, COOKIE);
  return cookie && { userId: cookie.id, token: cookie.secret };
}

/** Sets the device cookie. Browsers send it only to /api/auth, and never with requests of other sites. */
export function setDeviceCookie({ config }: Deps, reply: FastifyReply, { userId, token }: Device): void {
  reply.setCookie(COOKIE, `${userId}.${token}`, {
    httpOnly: true,
    sameSite: 'strict',
    secure: config.secureCookies,
    path: PATH,
    maxAge: MAX_AGE_SECONDS,
  });
}
