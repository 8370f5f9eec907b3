import { Secret, TOTP } from 'otpauth';

const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
// To either side, for clocks that differ and fingers that are slow.
const WINDOW_STEPS = 1;
// What every authenticator app understands, and the only thing some do (RFC 6238).
const STANDARD = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS };

/** 160 random bits. */
export const makeSecret = (): Uint8Array => new Secret({ size: SECRET_BYTES }).bytes;

/** For typing it into the app by hand. */
export const base32Of = (secret: Uint8Array): string => secretOf(secret).base32;

/** What the app reads from the screen, as the address of an image: the secret under the names of shop and account. */
export async function qrCodeOf(
  secret: Uint8Array,
  names: { issuer: string; label: string },
): Promise<string> {
  const uri = new TOTP({ ...STANDARD, ...names, secret: secretOf(secret) }).toString();
  // Loaded for the first who sets up an authenticator: most shops' processes never need it.
  const { default: qrCode } = await import('qrcode');
  const svg = await qrCode.toString(uri, { type: 'svg', margin: 2 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** The step of 30 seconds that a code belongs to: that of `now` or a neighbour. Undefined when the code is none of theirs. */
export function stepOfCode(secret: Uint8Array, code: string, now: Date): number | undefined {
  // The library takes it for granted, and stumbles over letters of several bytes.
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...STANDARD, secret: secretOf(secret) });
  const timestamp = now.getTime();
  const stepsAway = totp.validate({ token: code, timestamp, window: WINDOW_STEPS });
  return stepsAway === null ? undefined : totp.counter({ timestamp }) + stepsAway;
}

// A copy, because a Buffer may be a part of a larger piece of memory.
const secretOf = (bytes: Uint8Array) => new Secret({ buffer: new Uint8Array(bytes).buffer });
