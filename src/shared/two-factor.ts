import * as z from 'zod/mini';
import { typedPassword } from './passwords.ts';
import { requiredLine } from './text.ts';

export const TWO_FACTOR_CODE_LENGTH = 6;

/** At least four backup codes left, one to three, or none. */
const backupCodesStatus = z.enum(['sufficient', 'low', 'none']);

export const twoFactorStatus = z.object({
  enabled: z.boolean(),
  backupCodesStatus,
  /** What the owner should do about their codes; null when nothing. */
  warning: z.nullable(z.string()),
});
export type TwoFactorStatus = z.infer<typeof twoFactorStatus>;

export const twoFactorSetup = z.object({
  /** An image as a `data:image/svg+xml` or `data:image/png` address, drawn by the server. */
  qrCode: z.string(),
  /** The secret in base32, for typing it in by hand. */
  secret: z.string(),
  backupCodes: z.array(z.string()),
});
export type TwoFactorSetup = z.infer<typeof twoFactorSetup>;

export const verifyTwoFactorBody = z.object({ token: requiredLine(100) });
export const disableTwoFactorBody = z.object({ password: typedPassword });
export const backupCodes = z.object({ backupCodes: z.array(z.string()) });
