import type { Role } from '../../../shared/accounts.ts';
import type { Access } from '../../../shared/endpoint.ts';
import { AppError } from '../../../shared/errors.ts';

/** Whoever makes a request, as the database knows them at this moment. */
export interface Viewer {
  userId: string;
  sessionId: string;
  /** When password or two-factor code was last proven in the session. */
  authenticatedAt: Date;
  role: Role;
  email: string;
  name: string;
  phone: string;
}

/** Finds the live session behind a bearer token; throws UNAUTHENTICATED. */
export type Authenticate = (bearerToken: string) => Promise<Viewer>;

/** The bearer token of an Authorization header; the only place a token is accepted from. */
export function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '');
  if (!match?.[1]) throw new AppError('UNAUTHENTICATED', 'Please login to continue.');
  return match[1];
}

export function assertAllowed(access: Access, viewer: Viewer): void {
  if (access === 'admin' && viewer.role !== 'admin') {
    throw new AppError('FORBIDDEN', 'Access denied. Administrator privileges required.');
  }
}
