import { INVALID_SESSION, SESSION_EXPIRED, SESSION_TOKEN_TYPE } from '../../shared/session-messages.ts';

/**
 * Returns the message why a stored token is no session at `nowMs`; null if the token may be sent to the server, which
 * verifies it. A token with a purpose, e.g. for the second step of a login, is no session.
 */
export function problemOfToken(token: string, nowMs: number): string | null {
  const parts = token.split('.');
  const [header, payload] = parts.map(decode);
  if (parts.length !== 3 || header?.['typ'] !== SESSION_TOKEN_TYPE) return INVALID_SESSION;
  const expiresAt = payload?.['exp'];
  if (typeof expiresAt !== 'number' || payload?.['purpose'] !== undefined) return INVALID_SESSION;
  return expiresAt * 1000 <= nowMs ? SESSION_EXPIRED : null;
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}
