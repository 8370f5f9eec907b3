import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { countBackupCodes, isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';
import { disableTwoFactor } from './disable-two-factor.ts';
import { presentTwoFactorStatus } from './present-two-factor-status.ts';
import { renewBackupCodes } from './renew-backup-codes.ts';
import { setUpTwoFactor } from './set-up-two-factor.ts';
import { verifyTwoFactor } from './verify-two-factor.ts';

export function twoFactorRoutes(route: Route, deps: Deps): void {
  route('GET /auth/2fa/status', async ({ viewer: { userId } }) => {
    const enabled = await isTwoFactorEnabled(deps.db, userId);
    return { data: presentTwoFactorStatus({ enabled, codesLeft: await countBackupCodes(deps.db, userId) }) };
  });

  route('POST /auth/2fa/setup', async ({ viewer }) => ({ data: await setUpTwoFactor(deps, viewer) }));

  route('POST /auth/2fa/verify', async ({ viewer, body }) => {
    await verifyTwoFactor(deps, { ...viewer, code: body.token });
    return {};
  });

  route('POST /auth/2fa/disable', async ({ viewer, body }) => {
    await disableTwoFactor(deps, { ...viewer, ...body });
    return {};
  });

  route('POST /auth/2fa/backup-codes', async ({ viewer, body }) => {
    return { data: { backupCodes: await renewBackupCodes(deps, { ...viewer, ...body }) } };
  });
}
