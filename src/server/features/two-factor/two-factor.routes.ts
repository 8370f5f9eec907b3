import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { getTwoFactorStatus } from '../authenticators/two-factor-state.ts';
import { disableTwoFactor, renewBackupCodes, setUpTwoFactor, verifyTwoFactor } from './change-two-factor.ts';

export function twoFactorRoutes(route: Route, deps: Deps): void {
  route('GET /auth/2fa/status', async ({ viewer: { userId } }) => ({
    data: await getTwoFactorStatus(deps.db, userId),
  }));

  route('POST /auth/2fa/setup', async ({ viewer }) => ({ data: await setUpTwoFactor(deps, viewer) }));

  route('POST /auth/2fa/verify', ({ viewer, body }) => verifyTwoFactor(deps, viewer, body.token));

  route('POST /auth/2fa/disable', ({ viewer, body }) => disableTwoFactor(deps, viewer, body.password));

  route('POST /auth/2fa/backup-codes', async ({ viewer, body }) => ({
    data: { backupCodes: await renewBackupCodes(deps, viewer, body.password) },
  }));
}
