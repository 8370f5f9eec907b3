import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forCustomers, okResponse } from './endpoint.ts';
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

const twoFactorSetup = z.object({
  /** An image as a `data:image/svg+xml` or `data:image/png` address, drawn by the server. */
  qrCode: z.string(),
  secret: z.string(),
  backupCodes: z.array(z.string()),
});
export type TwoFactorSetup = z.infer<typeof twoFactorSetup>;

const disableTwoFactorBody = z.object({ password: typedPassword });

const backupCodes = z.object({ backupCodes: z.array(z.string()) });

export const twoFactorEndpoints = {
  'GET /auth/2fa/status': forCustomers('Whether two-factor is on, and how many backup codes are left', {
    output: dataResponse(twoFactorStatus),
  }),
  'POST /auth/2fa/setup': forCustomers(
    'A new secret and backup codes, shown this once; nothing is asked until they are verified',
    { errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_ENABLED'], output: dataResponse(twoFactorSetup) },
  ),
  'POST /auth/2fa/verify': forCustomers('Turn two-factor on with the first code', {
    body: z.object({ token: requiredLine(100) }),
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'TWO_FACTOR_ENABLED', 'INVALID_CODE'],
    output: okResponse,
  }),
  'POST /auth/2fa/disable': forCustomers('Turn two-factor off', {
    body: disableTwoFactorBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
    output: okResponse,
  }),
  'POST /auth/2fa/backup-codes': forCustomers('Ten new backup codes in place of the old ones', {
    body: disableTwoFactorBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
    output: dataResponse(backupCodes),
  }),
} as const satisfies Endpoints;
