import { api } from '../../../shared/api.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { countBackupCodes, isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';
import { disableTwoFactor } from './disable-two-factor.ts';
import { presentTwoFactorStatus } from './present-two-factor-status.ts';
import { renewBackupCodes } from './renew-backup-codes.ts';
import { setUpTwoFactor } from './set-up-two-factor.ts';
import { verifyTwoFactor } from './verify-two-factor.ts';

export function twoFactorRoutes(route: Route, deps: Deps): void {
  route(api.getTwoFactorStatus, async ({ viewer: { userId } }) => {
    const enabled = await isTwoFactorEnabled(deps.db, userId);
    return { data: presentTwoFactorStatus({ enabled, codesLeft: await countBackupCodes(deps.db, userId) }) };
  });

  route(api.setUpTwoFactor, async ({ viewer }) => ({ data: await setUpTwoFactor(deps, viewer) }));

  route(api.verifyTwoFactor, async ({ viewer, body }) => {
    await verifyTwoFactor(deps, { ...viewer, code: body.token });
    return {};
  });

  route(api.disableTwoFactor, async ({ viewer, body }) => {
    await disableTwoFactor(deps, { ...viewer, ...body });
    return {};
  });

  route(api.renewBackupCodes, async ({ viewer, body }) => {
    return { data: { backupCodes: await renewBackupCodes(deps, { ...viewer, ...body }) } };
  });
}
