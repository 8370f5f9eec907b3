import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forCustomers, okResponse } from './endpoint.ts';
import { typedPassword } from './passwords.ts';
import { requiredLine, timestamp } from './text.ts';

export const TWO_FACTOR_CODE_LENGTH = 6;

/** `sufficient`: at least four backup codes are left. `low`: one to three. `none`: no codes, or two-factor is off. */
const backupCodesStatus = z.enum(['sufficient', 'low', 'none']);

export const twoFactorStatus = z.object({
  enabled: z.boolean(),
  backupCodesStatus,
  /** Tells the user to make new backup codes; null if that is not needed. */
  warning: z.nullable(z.string()),
});
export type TwoFactorStatus = z.infer<typeof twoFactorStatus>;

const twoFactorSetup = z.object({
  /** A `data:` URL with an image (`image/svg+xml` or `image/png`) that the server drew. */
  qrCode: z.string(),
  secret: z.string(),
  backupCodes: z.array(z.string()),
  /** When the secret was made. It identifies the setup, because a later one replaces its secret. */
  madeAt: z.string(),
});
export type TwoFactorSetup = z.infer<typeof twoFactorSetup>;

/** A code of the authenticator app, or a backup code. */
export const typedCode = requiredLine(100);

const withPassword = {
  body: z.object({ password: typedPassword }),
  errors: ['TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
} as const;

export const twoFactorEndpoints = {
  'GET /auth/2fa/status': forCustomers('Whether two-factor is on, and how many backup codes are left', {
    output: dataResponse(twoFactorStatus),
  }),
  'POST /auth/2fa/setup': forCustomers(
    'A new secret and backup codes, shown only once; two-factor stays off until a code is verified',
    { errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_ENABLED'], output: dataResponse(twoFactorSetup) },
  ),
  'POST /auth/2fa/verify': forCustomers('Turn two-factor on with the first code', {
    /** `madeAt`: of the setup that showed the secret. */
    body: z.object({ token: typedCode, madeAt: z.optional(timestamp) }),
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'TWO_FACTOR_ENABLED', 'INVALID_CODE'],
    output: okResponse,
  }),
  'POST /auth/2fa/disable': forCustomers('Turn two-factor off', { ...withPassword, output: okResponse }),
  'POST /auth/2fa/backup-codes': forCustomers('Ten new backup codes in place of the old ones', {
    ...withPassword,
    output: dataResponse(z.object({ backupCodes: z.array(z.string()) })),
  }),
} as const satisfies Endpoints;
