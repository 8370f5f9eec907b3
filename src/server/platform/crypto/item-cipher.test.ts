import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createItemCipher, type DataKeys } from './item-cipher.ts';

const keys = new Map([
  ['data-1', randomBytes(32)],
  ['data-2', randomBytes(32)],
]);
const getKey = (id: string) => keys.get(id) ?? Buffer.alloc(0);

function dataKeys(currentId: string): DataKeys {
  return {
    current: () => ({ id: currentId, key: getKey(currentId) }),
    get: async (id) => getKey(id),
    fingerprintKey: Buffer.alloc(32, 7),
  };
}

const cipher = createItemCipher(dataKeys('data-1'));
const item = { itemId: randomUUID(), productId: randomUUID() };
const content = 'STEAM-AAAA-BBBB-CCCC';

describe('an item', () => {
  test.each(['', content, 'user:pässwörd 密码 🎮', 'x'.repeat(100_000), ' spaces kept '])(
    '%.24j is decrypted to the same text',
    async (secret) => {
      const encrypted = cipher.encrypt({ ...item, content: secret });
      expect(await cipher.decrypt({ ...item, ...encrypted })).toBe(secret);
    },
  );

  test('reveals nothing in its ciphertext, which differs each time', () => {
    const first = cipher.encrypt({ ...item, content });
    const second = cipher.encrypt({ ...item, content });
    expect(first.ciphertext.toString('latin1')).not.toContain('STEAM');
    expect(first.nonce).toHaveLength(12);
    expect(first.nonce).not.toEqual(second.nonce);
    expect(first.ciphertext).not.toEqual(second.ciphertext);
  });

  test('encrypted under an earlier key can still be decrypted', async () => {
    const encrypted = cipher.encrypt({ ...item, content });
    expect(await createItemCipher(dataKeys('data-2')).decrypt({ ...item, ...encrypted })).toBe(content);
  });
});

describe('decryption fails for an altered item:', () => {
  const encrypted = cipher.encrypt({ ...item, content });
  const flipped = (bytes: Buffer, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)) as Buffer;

  test.each([
    ['moved to another item', { itemId: randomUUID() }],
    ['moved to another product', { productId: randomUUID() }],
    ['item and product swapped', { itemId: item.productId, productId: item.itemId }],
    ['under another key id', { keyId: 'data-2' }],
    ['first byte flipped', { ciphertext: flipped(encrypted.ciphertext, 0) }],
    ['last byte of the tag flipped', { ciphertext: flipped(encrypted.ciphertext, encrypted.ciphertext.length - 1) }],
    ['tag cut off', { ciphertext: encrypted.ciphertext.subarray(0, -16) }],
    ['tag shortened', { ciphertext: encrypted.ciphertext.subarray(0, -4) }],
    ['emptied', { ciphertext: Buffer.alloc(0) }],
    ['nonce flipped', { nonce: flipped(encrypted.nonce, 3) }],
  ])('%s', async (_, change) => {
    await expect(cipher.decrypt({ ...item, ...encrypted, ...change })).rejects.toThrow();
  });

  test.each([0, 4, 12, 15])('only the first %d bytes of the tag of an empty text', async (bytes) => {
    const { ciphertext, ...empty } = cipher.encrypt({ ...item, content: '' });
    await expect(cipher.decrypt({ ...item, ...empty, ciphertext: ciphertext.subarray(0, bytes) })).rejects.toThrow();
  });

  test('the same key id with other key bytes', async () => {
    const other: DataKeys = { ...dataKeys('data-1'), get: async () => randomBytes(32) };
    await expect(createItemCipher(other).decrypt({ ...item, ...encrypted })).rejects.toThrow();
  });
});

describe('the secret of an authenticator app', () => {
  const userId = randomUUID();
  const secret = randomBytes(20);
  const encrypted = cipher.encryptTwoFactor({ userId, secret });

  test('is decrypted to the same bytes, also under an earlier key', async () => {
    expect(await cipher.decryptTwoFactor({ userId, ...encrypted })).toEqual(secret);
    const later = createItemCipher(dataKeys('data-2'));
    expect(await later.decryptTwoFactor({ userId, ...encrypted })).toEqual(secret);
  });

  test('cannot be decrypted for another user, under another key id or when altered', async () => {
    const altered = Buffer.from(encrypted.ciphertext);
    altered.writeUInt8(altered.readUInt8(0) ^ 1);
    for (const change of [{ userId: randomUUID() }, { keyId: 'data-2' }, { ciphertext: altered }]) {
      await expect(cipher.decryptTwoFactor({ userId, ...encrypted, ...change })).rejects.toThrow();
    }
  });

  test('cannot be decrypted as an item, nor an item as a secret', async () => {
    const ids = { itemId: userId, productId: userId };
    await expect(cipher.decrypt({ ...ids, ...encrypted })).rejects.toThrow();
    await expect(cipher.decryptTwoFactor({ userId, ...cipher.encrypt({ ...ids, content }) })).rejects.toThrow();
  });
});

test('the picture of a message cannot be decrypted as its text', async () => {
  const messageId = randomUUID();
  const picture = cipher.encryptReported({ part: 'picture', messageId, content: randomBytes(20) });
  await expect(cipher.decryptReported({ part: 'text', messageId, ...picture })).rejects.toThrow();
});

describe('the fingerprint', () => {
  test('is the same for the same secret, regardless of surrounding white space', () => {
    expect(cipher.fingerprint(`  ${content}\r\n`)).toEqual(cipher.fingerprint(content));
    expect(cipher.fingerprint(content)).toHaveLength(32);
  });

  test('differs for another secret and under another key', () => {
    const other = createItemCipher({ ...dataKeys('data-1'), fingerprintKey: randomBytes(32) });
    expect(cipher.fingerprint(`${content}D`)).not.toEqual(cipher.fingerprint(content));
    expect(other.fingerprint(content)).not.toEqual(cipher.fingerprint(content));
  });
});
