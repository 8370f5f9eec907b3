import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { NamedKeys } from './named-keys.ts';
import { createPendingTokens, createSessionTokens } from './tokens.ts';

const jwtKeys: NamedKeys = [
  { id: 'j2', key: randomBytes(32) },
  { id: 'j1', key: randomBytes(32) },
];
const [current, before] = jwtKeys;
const pendingLoginId = randomUUID();
const start = new Date('2026-03-01T00:00:00Z');
const inFiveMinutes = new Date(start.getTime() + 300_000);

let now = start;
const clock = { now: () => now };
const pendingTokens = await createPendingTokens(jwtKeys, clock);
const sessionTokens = await createSessionTokens(jwtKeys, clock);

const invalid = { code: 'UNAUTHENTICATED', message: 'Invalid session. Please login again.' };
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const ownKey = Buffer.from(hkdfSync('sha256', current.key, '', 'kedai/pending-login', 32));

/**
 * Makes a token with the claims of both a pending token and a session token, of the given type and under the given key.
 */
function forge(typ: string, key: Buffer): string {
  const claims = { jti: pendingLoginId, sub: randomUUID(), sid: randomUUID(), iss: 'kedai', aud: 'kedai/shop' };
  const exp = inFiveMinutes.getTime() / 1_000;
  const signed = `${encode({ alg: 'HS256', typ, kid: current.id })}.${encode({ ...claims, exp })}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

test('a pending token identifies its login until it expires, then reports its expiry', async () => {
  const token = await pendingTokens.sign({ pendingLoginId, expiresAt: inFiveMinutes });
  expect(await pendingTokens.verify(token)).toEqual({ pendingLoginId });
  now = inFiveMinutes;
  await expect(pendingTokens.verify(token)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: 'Session expired. Please login again.',
  });
  now = start;
});

test('a token signed with the previous key is accepted', async () => {
  const earlier = await createPendingTokens([before ?? current], clock);
  const token = await earlier.sign({ pendingLoginId, expiresAt: inFiveMinutes });
  expect(await pendingTokens.verify(token)).toEqual({ pendingLoginId });
});

test('a forged token with every field right is accepted, which validates the refusals below', async () => {
  expect(await pendingTokens.verify(forge('pending-login+jwt', ownKey))).toEqual({ pendingLoginId });
  expect(await sessionTokens.verify(forge('session+jwt', current.key))).toBeDefined();
});

test('pending and session tokens are not interchangeable, by type or by key', async () => {
  await expect(pendingTokens.verify(forge('session+jwt', ownKey))).rejects.toMatchObject(invalid);
  await expect(pendingTokens.verify(forge('pending-login+jwt', current.key))).rejects.toMatchObject(invalid);
  await expect(sessionTokens.verify(forge('pending-login+jwt', current.key))).rejects.toMatchObject(invalid);
  await expect(sessionTokens.verify(forge('session+jwt', ownKey))).rejects.toMatchObject(invalid);
});
