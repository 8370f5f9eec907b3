import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { unless } from '../system-errors.ts';
import type { NamedKey } from './named-keys.ts';

/** Part of the additional authenticated data (AAD). Change it when the layout of the AAD changes. */
const VERSION = '1';

export interface EncryptedContent extends Sealed {
  keyId: string;
}

/** Encrypts secrets at rest: items, files, authenticator apps, and what buyers report (docs/security.md). */
export type ItemCipher = ReturnType<typeof createItemCipher>;

type ItemIds = { itemId: string; productId: string };

/** `fileBytes` is the length of the whole file: a file that was cut short in the database cannot be decrypted. */
type ChunkIds = { fileId: string; fileBytes: number; number: number };
type ReportedPart = { part: 'text' | 'picture'; messageId: string };

export interface DataKeys {
  current(): NamedKey;
  get(id: string): Promise<Buffer>;
  fingerprintKey: Buffer;
}

export function createItemCipher(dataKeys: DataKeys) {
  const encrypt = (subject: string[], plaintext: Uint8Array): EncryptedContent => {
    const { id: keyId, key } = dataKeys.current();
    return { keyId, ...seal(key, [...subject, keyId].join('|'), plaintext) };
  };
  const decrypt = async (subject: string[], { keyId, ...sealed }: EncryptedContent): Promise<Buffer> =>
    unseal(await dataKeys.get(keyId), [...subject, keyId].join('|'), sealed);

  // Prepared once, because an upload of 100,000 items computes as many fingerprints.
  const fingerprintKey = createSecretKey(dataKeys.fingerprintKey);
  // A separate key, so that an audit entry never has the same HMAC as a secret.
  const chainKey = createHmac('sha256', dataKeys.fingerprintKey).update('audit log').digest();

  return {
    /** Binds the content to its item and product: it cannot be decrypted in another row. */
    encrypt: (input: ItemIds & { content: string }) => encrypt(itemContext(input), Buffer.from(input.content)),
    /** Throws BrokenSeal if anything was altered or the key id is unknown. */
    decrypt: async (input: ItemIds & EncryptedContent) => (await decrypt(itemContext(input), input)).toString(),
    /** Binds a chunk to its position in the file. */
    encryptChunk: (input: ChunkIds & { content: Uint8Array }) => encrypt(chunkContext(input), input.content),
    decryptChunk: (input: ChunkIds & EncryptedContent) => decrypt(chunkContext(input), input),
    /** HMAC-SHA-256 of the trimmed content: equal for equal secrets, and reveals nothing else. */
    fingerprint: (content: string): Buffer => createHmac('sha256', fingerprintKey).update(content.trim()).digest(),
    /** HMAC-SHA-256 of the item's id and trimmed content, for items that may have equal contents: differs for each. */
    fingerprintOfCopy: ({ itemId, content }: { itemId: string; content: string }): Buffer =>
      createHmac('sha256', fingerprintKey).update(`${itemId}\0${content.trim()}`).digest(),
    /** HMAC-SHA-256 of an entry of the audit log and the hash of the entry before it. */
    chain: (previous: Uint8Array, entry: string): Buffer =>
      createHmac('sha256', chainKey).update(previous).update(entry).digest(),
    /** Binds the secret of an authenticator app to its user. */
    encryptTwoFactor: (input: { userId: string; secret: Uint8Array }) => encrypt(twoFactorContext(input), input.secret),
    decryptTwoFactor: (input: { userId: string } & EncryptedContent) => decrypt(twoFactorContext(input), input),
    /** Binds the text or the picture of a message to its row. */
    encryptReported: (input: ReportedPart & { content: Uint8Array }) => encrypt(reportedContext(input), input.content),
    decryptReported: (input: ReportedPart & EncryptedContent) => decrypt(reportedContext(input), input),
  };
}

/** What the cipher returns, as columns of a row. */
export const toColumns = ({ keyId, nonce, ciphertext }: EncryptedContent) => ({ key_id: keyId, nonce, ciphertext });

/** The columns of a row, as the cipher takes them. */
export const fromColumns = ({ key_id, nonce, ciphertext }: ReturnType<typeof toColumns>): EncryptedContent => ({
  keyId: key_id,
  nonce,
  ciphertext,
});

// The additional authenticated data, to which encrypt() and decrypt() add the key's id.
const itemContext = ({ itemId, productId }: ItemIds) => ['item', VERSION, itemId, productId];
const chunkContext = ({ fileId, fileBytes, number }: ChunkIds) =>
  ['file-chunk', VERSION, fileId, fileBytes, number].map(String);
const reportedContext = ({ part, messageId }: ReportedPart) => [`reported-${part}`, VERSION, messageId];
const twoFactorContext = ({ userId }: { userId: string }) => ['two-factor', VERSION, userId];

const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;
export const NONCE_BYTES = 12;

interface Sealed {
  nonce: Buffer;
  /** The encrypted bytes, followed by the authentication tag. */
  ciphertext: Buffer;
}

/** AES-256-GCM under a 256-bit key and a random 96-bit nonce; `context` is authenticated but not stored. */
export function seal(key: Buffer, context: string, plaintext: Uint8Array): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  return { nonce, ciphertext: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]) };
}

/** The ciphertext was altered or moved, or its key is unknown. */
export class BrokenSeal extends Error {}

export const unlessBroken = unless((error) => error instanceof BrokenSeal);

/** The inverse of `seal`. Throws BrokenSeal when the key, the context, the nonce or a bit of the ciphertext differs. */
export function unseal(key: Buffer, context: string, { nonce, ciphertext }: Sealed): Buffer {
  const end = ciphertext.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(ciphertext.subarray(end));
    const plaintext = decipher.update(ciphertext.subarray(0, end));
    // final() throws if anything differs, and returns no bytes in this mode.
    decipher.final();
    return plaintext;
  } catch (error) {
    throw new BrokenSeal('The ciphertext does not belong to its key, context and nonce', { cause: error });
  }
}
