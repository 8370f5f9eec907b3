import type { Deps } from '../../deps.ts';
import { checkAddress } from '../../platform/countries.ts';
import { clientOf, type Viewer } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { getTwoFactorStatus } from '../authenticators/two-factor.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import {
  cancelPendingEmail,
  confirmEmail,
  presentEmailChange,
  resendPendingEmail,
  undoEmailChange,
  updateDetails,
  verifyEmail,
} from './account-email.ts';
import { findEmailChange } from './accounts.queries.ts';
import { resetPassword, updatePassword } from './change-password.ts';
import { disableTwoFactor, renewBackupCodes, setUpTwoFactor, verifyTwoFactor } from './change-two-factor.ts';
import { presentUser } from './present-user.ts';
import { getSession } from './sessions.queries.ts';
import { setDeviceCookie } from './start-session.ts';

export function profileRoutes(route: Route, deps: Deps): void {
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

  /** Signs a new token for the same session. */
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
    setDeviceCookie(deps, reply, device);
    return { data: { email } };
  });

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

  route('POST /auth/confirmemail', async ({ body, viewer }) => ({
    data: await confirmEmail(deps, { ...viewer, token: body.confirmToken }),
  }));

  route('POST /auth/undoemail', async ({ body, request }) => {
    const data = await undoEmailChange(deps, { token: body.undoToken, code: body.code, client: clientOf(request) });
    if (data) return { data };
    return { requiresTwoFactor: true, message: 'Enter the 6-digit code of your authenticator app' };
  });

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
