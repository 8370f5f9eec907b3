import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;
export const NONCE_BYTES = 12;

export interface Sealed {
  nonce: Buffer;
  /** The encrypted bytes with the authentication tag behind them. */
  ciphertext: Buffer;
}

/** AES-256-GCM under a 256-bit key and a random 96-bit nonce; `context` is authenticated but not stored. */
export function seal(key: Buffer, context: string, plaintext: Buffer): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  );
  return {
    nonce,
    ciphertext: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]),
  };
}

/** What is stored is not what was sealed, or under no key that is known. */
export class BrokenSeal extends Error {}

/** The opposite of `seal`. Throws BrokenSeal when the key, the context, the nonce or a single bit of the ciphertext differs. */
export function unseal(key: Buffer, context: string, { nonce, ciphertext }: Sealed): Buffer {
  const end = Math.max(0, ciphertext.length - TAG_BYTES);
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(ciphertext.subarray(end));
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]);
  } catch (error) {
    throw new BrokenSeal('The ciphertext does not belong to its key, context and nonce', { cause: error });
  }
}
