import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type Client, clientOf, sessionExpired } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { findUser, insertUserIfNew } from './accounts.queries.ts';
import { claimAccount } from './claim-account.ts';
import { finishLogin, logIn } from './log-in.ts';
import { presentSession, presentUser } from './present-user.ts';
import { reauthenticate } from './reauthenticate.ts';
import {
  listLiveSessions,
  markSessionSeen,
  revokeOwnSession,
  revokeSession,
  revokeSessions,
} from './sessions.queries.ts';
import { type NewSession, readDeviceCookie, setDeviceCookie, startSession } from './start-session.ts';

/** forgetCheckout of the checkout. app.ts passes it in, because checkout imports accounts and not the reverse. */
type ForgetCheckout = (
  deps: Deps,
  input: { request: FastifyRequest; reply: FastifyReply; which: (order: OrderRow) => boolean },
) => Promise<void>;

export function accountsRoutes(route: Route, deps: Deps, forgetCheckout: ForgetCheckout): void {
  const { db, clock } = deps;

  route('POST /auth/login', async ({ body, request, reply }) => {
    const from = { client: clientOf(request), device: readDeviceCookie(request) };
    if ('pendingToken' in body) return signedIn(request, reply, await finishLogin(deps, { ...body, ...from }));
    const { email, password, rememberMe: remember = false } = body;
    const answer = await logIn(deps, { email, password, remember, ...from });
    if ('token' in answer) return signedIn(request, reply, answer);
    return { ...answer, requiresTwoFactor: true, message: 'Enter the 6-digit code of your authenticator app' };
  });

  if (deps.config.openRegistration) {
    route('POST /auth/register', async ({ body, request, reply }) => {
      await deps.limits.count('account-mail', { address: request.ip });
      return signedIn(request, reply, await registerAccount(deps, { ...body, client: clientOf(request) }));
    });
  } else {
    const refuse = () => {
      throw new AppError('REGISTRATION_CLOSED', 'Accounts are made by buying: check out and choose a password');
    };
    route('POST /auth/register', refuse, { ignoreInput: true });
  }

  route('POST /auth/claim', async ({ body, request, reply }) =>
    signedIn(request, reply, await claimAccount(deps, { ...body, client: clientOf(request) })),
  );

  async function signedIn(request: FastifyRequest, reply: FastifyReply, { token, user, device }: NewSession) {
    setDeviceCookie(deps, reply, device);
    // Matches an order of another customer, whose session has expired in this browser.
    const which = (order: OrderRow) => !order.guest && order.user_id !== user.id;
    await forgetCheckout(deps, { request, reply, which });
    return { token, user: presentUser(user) };
  }

  route('POST /auth/logout', async ({ viewer: { userId, sessionId }, request, reply }) => {
    await revokeSession(db, sessionId, clock.now());
    await forgetCheckout(deps, { request, reply, which: (order) => order.user_id === userId });
  });

  route('GET /auth/me', async ({ viewer }) => {
    const user = await findUser(db, viewer.userId);
    if (!user) throw sessionExpired();
    await markSessionSeen(db, viewer.sessionId, clock.now());
    return { data: presentUser(user) };
  });

  route('POST /auth/reauthenticate', ({ body, viewer }) => reauthenticate(deps, viewer, body));

  route('GET /auth/sessions', async ({ viewer }) => {
    const sessions = await listLiveSessions(db, viewer.userId, clock.now());
    return { data: sessions.map((session) => presentSession(session, viewer.sessionId)) };
  });

  route('DELETE /auth/sessions', ({ viewer: { userId, sessionId: keep } }) =>
    revokeSessions(db, { userId, keep, now: clock.now() }),
  );

  route('DELETE /auth/sessions/:id', async ({ params, viewer }) => {
    const own = { id: params.id, userId: viewer.userId, keep: viewer.sessionId, now: clock.now() };
    if (!(await revokeOwnSession(db, own))) throw new AppError('NOT_FOUND', 'Session not found');
  });
}

/**
 * Creates an account and signs in. Throws EMAIL_TAKEN for a known address, after the same work. The error tells
 * strangers which addresses have accounts, so registration is closed unless an operator sets OPEN_REGISTRATION.
 */
async function registerAccount(deps: Deps, input: { name: string; email: string; password: string; client: Client }) {
  const { name, email, client } = input;
  const password_hash = await deps.passwords.hash(input.password);
  const now = deps.clock.now();
  const fresh = { id: uuidv7(), email, email_verified_at: null, name, password_hash, created_at: now };
  return deps.db.transaction().execute(async (trx) => {
    const user = await insertUserIfNew(trx, fresh);
    if (!user) throw new AppError('EMAIL_TAKEN', 'This email address already has an account');
    return startSession(deps, trx, { user, remember: false, client });
  });
}
