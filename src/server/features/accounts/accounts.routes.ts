import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { checkAddress } from '../../platform/countries.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type Client, clientOf, sessionExpired, type Viewer } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { getTwoFactorStatus } from '../two-factor/two-factor.ts';
import {
  cancelPendingEmail,
  confirmEmail,
  presentEmailChange,
  resendPendingEmail,
  undoEmailChange,
  updateDetails,
  verifyEmail,
} from './account-email.ts';
import { findEmailChange, findUser, insertUserIfNew } from './accounts.queries.ts';
import { resetPassword, updatePassword } from './change-password.ts';
import { disableTwoFactor, renewBackupCodes, setUpTwoFactor, verifyTwoFactor } from './change-two-factor.ts';
import { claimAccount } from './claim-account.ts';
import { finishLogin, logIn } from './log-in.ts';
import {
  getSession,
  listLiveSessions,
  markSessionSeen,
  revokeOwnSession,
  revokeSession,
  revokeSessions,
} from './sessions.queries.ts';
import {
  type NewSession,
  presentSession,
  presentUser,
  readDeviceCookie,
  reauthenticate,
  setDeviceCookie,
  startSession,
} from './sessions.ts';

/** forgetCheckout of the checkout. app.ts passes it in, because checkout imports accounts and not the reverse. */
type ForgetCheckout = (
  deps: Deps,
  input: { request: FastifyRequest; reply: FastifyReply; which: (order: OrderRow) => boolean },
) => Promise<void>;

export function accountsRoutes(route: Route, deps: Deps, forgetCheckout: ForgetCheckout): void {
  loginRoutes(route, deps, forgetCheckout);
  sessionRoutes(route, deps);
  profileRoutes(route, deps);
  emailRoutes(route, deps);
  twoFactorRoutes(route, deps);
}

const ASK_FOR_CODE = { requiresTwoFactor: true, message: 'Enter the 6-digit code of your authenticator app' } as const;

function loginRoutes(route: Route, deps: Deps, forgetCheckout: ForgetCheckout): void {
  route('POST /auth/login', async ({ body, request, reply }) => {
    const from = { client: clientOf(request), device: readDeviceCookie(request) };
    if ('pendingToken' in body) return signedIn(request, reply, await finishLogin(deps, { ...body, ...from }));
    const { email, password, rememberMe: remember = false } = body;
    const answer = await logIn(deps, { email, password, remember, ...from });
    if ('token' in answer) return signedIn(request, reply, answer);
    return { ...answer, ...ASK_FOR_CODE };
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
    setDeviceCookie(reply, device);
    // Matches an order of another customer, whose session has expired in this browser.
    const which = (order: OrderRow) => !order.guest && order.user_id !== user.id;
    await forgetCheckout(deps, { request, reply, which });
    return { token, user: presentUser(user) };
  }

  route('POST /auth/logout', async ({ viewer: { userId, sessionId }, request, reply }) => {
    await revokeSession(deps.db, sessionId, deps.clock.now());
    await forgetCheckout(deps, { request, reply, which: (order) => order.user_id === userId });
  });
}

function sessionRoutes(route: Route, deps: Deps): void {
  const { db, clock } = deps;

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

function profileRoutes(route: Route, deps: Deps): void {
  route('PUT /auth/updatedetails', async ({ body, viewer, request }) => {
    const checked = checkAddress(body.address, { path: 'address', mayBeEmpty: true });
    const { zipCode: zip_code, ...address } = checked;
    if (body.email !== viewer.email) await deps.limits.count('account-mail', { address: request.ip });
    const details = { name: body.name, phone: body.phone, ...address, zip_code };
    const { user, pendingEmail } = await updateDetails(deps, { ...viewer, email: body.email, details });
    return { data: presentUser(user), token: await tokenOf(viewer), pendingEmail };
  });

  route('PUT /auth/updatepassword', async ({ body, viewer }) => {
    await updatePassword(deps, { ...viewer, ...body });
    return { token: await tokenOf(viewer) };
  });

  async function tokenOf({ userId, sessionId }: Viewer): Promise<string> {
    const { expires_at: expiresAt } = await getSession(deps.db, sessionId);
    return deps.sessionTokens.sign({ userId, sessionId, expiresAt });
  }

  // Writes the same few rows for every address. Only the mail job looks up whether the address is known.
  route('POST /auth/forgotpassword', async ({ body, request }) => {
    await deps.limits.count('account-mail', { address: request.ip });
    const mail = { kind: 'password-reset', recipient: body.email, userId: null } as const;
    await deps.db.transaction().execute((trx) => enqueueMail(deps, trx, mail));
  });

  route('POST /auth/resetpassword', async ({ body, request, reply }) => {
    const { resetToken: token, password } = body;
    const { device, email } = await resetPassword(deps, { token, password, client: clientOf(request) });
    setDeviceCookie(reply, device);
    return { data: { email } };
  });
}

function emailRoutes(route: Route, deps: Deps): void {
  route('POST /auth/verifyemail', async ({ viewer, request }) => {
    await deps.limits.count('account-mail', { address: request.ip });
    await verifyEmail(deps, viewer);
  });

  route('GET /auth/pendingemail', async ({ viewer }) => {
    const change = await findEmailChange(deps.db, viewer.userId, deps.clock.now());
    return { data: change ? presentEmailChange(change) : null };
  });

  route('POST /auth/pendingemail', async ({ viewer, request }) => {
    await deps.limits.count('account-mail', { address: request.ip });
    return { data: await resendPendingEmail(deps, viewer) };
  });

  route('DELETE /auth/pendingemail', ({ viewer }) => cancelPendingEmail(deps, viewer));

  route('POST /auth/confirmemail', async ({ body, viewer, request }) => ({
    data: await confirmEmail(deps, { ...viewer, token: body.confirmToken, ip: request.ip }),
  }));

  route('POST /auth/undoemail', async ({ body, request }) => {
    const data = await undoEmailChange(deps, { token: body.undoToken, code: body.code, client: clientOf(request) });
    return data ? { data } : ASK_FOR_CODE;
  });
}

function twoFactorRoutes(route: Route, deps: Deps): void {
  route('GET /auth/2fa/status', async ({ viewer: { userId } }) => ({
    data: await getTwoFactorStatus(deps.db, userId),
  }));

  route('POST /auth/2fa/setup', async ({ viewer }) => ({ data: await setUpTwoFactor(deps, viewer) }));

  route('POST /auth/2fa/verify', ({ viewer, body }) => verifyTwoFactor(deps, viewer, body));

  route('POST /auth/2fa/disable', ({ viewer, body }) => disableTwoFactor(deps, viewer, body.password));

  route('POST /auth/2fa/backup-codes', async ({ viewer, body }) => ({
    data: { backupCodes: await renewBackupCodes(deps, viewer, body.password) },
  }));
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
    return startSession(deps, trx, { user, client });
  });
}
