import { createHmac } from 'node:crypto';
import { type Sealed, seal, unseal } from './aead.ts';
import type { NamedKey } from './named-keys.ts';

/** Part of the additional data: another layout of it would carry another number. */
const VERSION = 1;

export interface EncryptedContent extends Sealed {
  /** Which data key opens it. */
  keyId: string;
}

/** Keeps the content of items unreadable at rest (DESIGN.md section 6). */
export interface ItemCipher {
  /** Binds the content to its item and product: copied to another row it does not open. */
  encrypt(input: { itemId: string; productId: string; content: string }): EncryptedContent;
  /** Throws when anything was altered, and when the key id is not one of this shop's. */
  decrypt(input: { itemId: string; productId: string } & EncryptedContent): Promise<string>;
  /** HMAC-SHA-256 of the trimmed content: equal for equal secrets, and tells nothing else. */
  fingerprint(content: string): Buffer;
}

export interface DataKeys {
  /** Encrypts what is new. */
  current(): NamedKey;
  get(id: string): Promise<Buffer>;
  fingerprintKey: Buffer;
}

export function createItemCipher(dataKeys: DataKeys): ItemCipher {
  return {
    encrypt({ itemId, productId, content }) {
      const { id: keyId, key } = dataKeys.current();
      return { keyId, ...seal(key, contextOf(itemId, productId, keyId), Buffer.from(content)) };
    },
    async decrypt({ itemId, productId, keyId, nonce, ciphertext }) {
      const key = await dataKeys.get(keyId);
      return unseal(key, contextOf(itemId, productId, keyId), { nonce, ciphertext }).toString();
    },
    fingerprint(content) {
      return createHmac('sha256', dataKeys.fingerprintKey).update(content.trim()).digest();
    },
  };
}

const contextOf = (itemId: string, productId: string, keyId: string) =>
  ['item', VERSION, itemId, productId, keyId].join('|');
