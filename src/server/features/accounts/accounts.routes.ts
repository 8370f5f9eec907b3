import type { FastifyReply } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { findUser, revokeSession } from './accounts.queries.ts';
import { claimAccount } from './claim-account.ts';
import { readDeviceCookie, setDeviceCookie } from './device-cookie.ts';
import { finishLogin } from './finish-login.ts';
import { logIn } from './log-in.ts';
import { presentUser } from './present-user.ts';
import { registerAccount } from './register-account.ts';
import { markSeen } from './sessions.queries.ts';

type SignedIn = Awaited<ReturnType<typeof finishLogin>>;

export function accountsRoutes(route: Route, deps: Deps): void {
  route('POST /auth/login', async ({ body, request, reply }) => {
    const from = { client: clientOf(request), device: readDeviceCookie(request) };
    if ('pendingToken' in body) return signedIn(reply, await finishLogin(deps, { ...body, ...from }));
    const { email, password, rememberMe: remember = false } = body;
    const answer = await logIn(deps, { email, password, remember, ...from });
    if ('token' in answer) return signedIn(reply, answer);
    return {
      ...answer,
      requiresTwoFactor: true,
      message: 'Enter the 6-digit code of your authenticator app',
    };
  });

  if (deps.config.openRegistration) {
    route('POST /auth/register', async ({ body, request, reply }) => {
      await deps.limits.count('account-mail', { address: request.ip });
      return signedIn(reply, await registerAccount(deps, { ...body, client: clientOf(request) }));
    });
  } else {
    const refuse = () => {
      throw new AppError(
        'REGISTRATION_CLOSED',
        'Accounts are made by buying: check out and choose a password',
      );
    };
    route('POST /auth/register', refuse, { ignoreInput: true });
  }

  route('POST /auth/logout', async ({ viewer }) => {
    await revokeSession(deps.db, viewer.sessionId, deps.clock.now());
    return {};
  });

  route('GET /auth/me', async ({ viewer }) => {
    const user = await findUser(deps.db, viewer.userId);
    if (!user) throw new AppError('UNAUTHENTICATED', 'Session expired. Please login again.');
    await markSeen(deps.db, { id: viewer.sessionId, now: deps.clock.now() });
    return { data: presentUser(user) };
  });

  route('POST /auth/claim', async ({ body, request, reply }) =>
    signedIn(reply, await claimAccount(deps, { ...body, client: clientOf(request) })),
  );

  function signedIn(reply: FastifyReply, { token, user, device }: SignedIn) {
    setDeviceCookie(deps, reply, device);
    return { token, user: presentUser(user) };
  }
}
