import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Authenticate } from '../../platform/http/authentication.ts';
import { findLiveSession } from './accounts.queries.ts';

/** A token only names a session: whether that still stands and what its user may do is read on every call. */
export function createAuthenticate({ db, sessionTokens, clock }: Deps): Authenticate {
  return async (bearerToken) => {
    const { userId, sessionId } = await sessionTokens.verify(bearerToken);
    const live = await findLiveSession(db, { sessionId, userId, now: clock.now() });
    if (!live) throw new AppError('UNAUTHENTICATED', 'Session expired. Please login again.');
    return { userId, sessionId, ...live };
  };
}
