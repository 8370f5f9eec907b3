import { Secret, TOTP } from 'otpauth';
import type { Shopper } from './shopper.ts';

const STEP_MS = 30_000;

/** A user's authenticator app and backup codes. */
export interface Authenticator {
  backupCodes: string[];
  /** Returns the code of the next 30-second step. Each step counts once, and the setup has used the present one. */
  nextCode(): string;
}

/** Turns two-factor on for the signed-in user, as the wizard does. */
export async function enableTwoFactor(shopper: Shopper): Promise<Authenticator> {
  const { data } = (await shopper.post('/api/auth/2fa/setup')).body;
  const { secret, backupCodes } = data as unknown as { secret: string; backupCodes: string[] };
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const { status } = await shopper.post('/api/auth/2fa/verify', { token: totp.generate() });
  if (status !== 200) throw new Error(`two-factor was not turned on: ${status}`);
  return { backupCodes, nextCode: () => totp.generate({ timestamp: Date.now() + STEP_MS }) };
}
