import type { TwoFactorStatus } from '../../../shared/two-factor.ts';

const SUFFICIENT = 4;

export function presentTwoFactorStatus({
  enabled,
  codesLeft,
}: {
  enabled: boolean;
  codesLeft: number;
}): TwoFactorStatus {
  // The codes of a setup that was never verified open nothing.
  if (!enabled) return { enabled, backupCodesStatus: 'none', warning: null };
  if (codesLeft >= SUFFICIENT) return { enabled, backupCodesStatus: 'sufficient', warning: null };
  if (codesLeft === 0) {
    const warning = 'You have no backup codes left. Make new ones, or you cannot sign in without your phone.';
    return { enabled, backupCodesStatus: 'none', warning };
  }
  const left = codesLeft === 1 ? '1 backup code' : `${codesLeft} backup codes`;
  return { enabled, backupCodesStatus: 'low', warning: `You have only ${left} left. Make new ones soon.` };
}
