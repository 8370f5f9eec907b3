import { api } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { findUser, revokeSession } from './accounts.queries.ts';
import { claimAccount } from './claim-account.ts';
import { logIn } from './log-in.ts';
import { presentUser } from './present-user.ts';

export function accountsRoutes(route: Route, deps: Deps): void {
  route(api.login, async ({ body, request }) => {
    if ('pendingToken' in body) throw new AppError('INVALID_CODE', 'Invalid 2FA code');
    const { email, password, rememberMe: remember = false } = body;
    const { token, user } = await logIn(deps, { email, password, remember, client: clientOf(request) });
    return { token, user: presentUser(user) };
  });

  route(api.register, async () => {
    throw new AppError('REGISTRATION_CLOSED', 'Accounts are made by buying: check out and choose a password');
  });

  route(api.logout, async ({ viewer }) => {
    await revokeSession(deps.db, viewer.sessionId, deps.clock.now());
    return {};
  });

  route(api.getMe, async ({ viewer }) => {
    const user = await findUser(deps.db, viewer.userId);
    if (!user) throw new AppError('UNAUTHENTICATED', 'Session expired. Please login again.');
    return { data: presentUser(user) };
  });

  route(api.claimAccount, async ({ body, request }) => {
    const { token, user } = await claimAccount(deps, { ...body, client: clientOf(request) });
    return { token, user: presentUser(user) };
  });
}
