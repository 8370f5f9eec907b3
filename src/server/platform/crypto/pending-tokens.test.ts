import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { NamedKeys } from './named-keys.ts';
import { createPendingTokens, createSessionTokens, type PendingTokens, type SessionTokens } from './tokens.ts';

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
let pendingTokens: PendingTokens;
let sessionTokens: SessionTokens;
beforeAll(async () => {
  pendingTokens = await createPendingTokens(jwtKeys, clock);
  sessionTokens = await createSessionTokens(jwtKeys, clock);
});

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

test('a pending token leads back to its login until it expires, and then says so', async () => {
  const token = await pendingTokens.sign({ pendingLoginId, expiresAt: inFiveMinutes });
  expect(await pendingTokens.verify(token)).toEqual({ pendingLoginId });
  now = inFiveMinutes;
  await expect(pendingTokens.verify(token)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: 'Session expired. Please login again.',
  });
  now = start;
});

test('a token of the key before the current one is accepted', async () => {
  const earlier = await createPendingTokens([before ?? current], clock);
  const token = await earlier.sign({ pendingLoginId, expiresAt: inFiveMinutes });
  expect(await pendingTokens.verify(token)).toEqual({ pendingLoginId });
});

test('a token made by hand with everything right is accepted, so the refusals below mean something', async () => {
  expect(await pendingTokens.verify(forge('pending-login+jwt', ownKey))).toEqual({ pendingLoginId });
  expect(await sessionTokens.verify(forge('session+jwt', current.key))).toBeDefined();
});

test('neither kind of token is accepted as the other, by its type or by its key', async () => {
  await expect(pendingTokens.verify(forge('session+jwt', ownKey))).rejects.toMatchObject(invalid);
  await expect(pendingTokens.verify(forge('pending-login+jwt', current.key))).rejects.toMatchObject(invalid);
  await expect(sessionTokens.verify(forge('pending-login+jwt', current.key))).rejects.toMatchObject(invalid);
  await expect(sessionTokens.verify(forge('session+jwt', ownKey))).rejects.toMatchObject(invalid);
});
