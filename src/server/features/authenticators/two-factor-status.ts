import type { TwoFactorStatus } from '../../../shared/two-factor.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { countBackupCodes, isTwoFactorEnabled } from './authenticators.queries.ts';

const SUFFICIENT = 4;

/** As its user and an administrator see it. */
export async function getTwoFactorStatus(db: Database, userId: string): Promise<TwoFactorStatus> {
  const enabled = await isTwoFactorEnabled(db, userId);
  // The codes of a setup that was never verified open nothing.
  if (!enabled) return { enabled, backupCodesStatus: 'none', warning: null };
  const codesLeft = await countBackupCodes(db, userId);
  if (codesLeft >= SUFFICIENT) return { enabled, backupCodesStatus: 'sufficient', warning: null };
  if (codesLeft === 0) {
    const warning = 'You have no backup codes left. Make new ones, or you cannot sign in without your phone.';
    return { enabled, backupCodesStatus: 'none', warning };
  }
  const left = codesLeft === 1 ? '1 backup code' : `${codesLeft} backup codes`;
  return { enabled, backupCodesStatus: 'low', warning: `You have only ${left} left. Make new ones soon.` };
}
