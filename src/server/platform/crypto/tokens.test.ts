import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign as signBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NamedKeys } from './named-keys.ts';
import { createSessionTokens } from './tokens.ts';

const jwtKeys: NamedKeys = [
  { id: 'j2', key: randomBytes(32) },
  { id: 'j1', key: randomBytes(32) },
];
const [{ key }] = jwtKeys;
const session = { userId: randomUUID(), sessionId: randomUUID() };
const INVALID = 'Invalid session. Please login again.';

let now = new Date('2026-03-01T00:00:00Z');
const clock = { now: () => now };
const inAnHour = () => new Date(now.getTime() + 3_600_000);
const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);

const tokens = await createSessionTokens(jwtKeys, clock);

const goodHeader = { alg: 'HS256', typ: 'session+jwt', kid: 'j2' };
const goodClaims = () => ({
  sub: session.userId,
  sid: session.sessionId,
  iss: 'kedai',
  aud: 'kedai/shop',
  exp: seconds(inAnHour()),
});
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes a token by hand, signed with the shop's own key unless another is given. */
function forge(header: object, claims: object, secret: Buffer = key, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

const refused = (token: string, message = INVALID) =>
  expect(tokens.verify(token)).rejects.toMatchObject({ name: 'AppError', code: 'UNAUTHENTICATED', message });

test('a token identifies its user and session', async () => {
  const token = await tokens.sign({ ...session, expiresAt: inAnHour() });
  expect(token.split('.')).toHaveLength(3);
  expect(await tokens.verify(token)).toEqual(session);
});

test('a forged token with every field right is accepted, which validates the refusals below', async () => {
  expect(await tokens.verify(forge(goodHeader, goodClaims()))).toEqual(session);
});

test('a token signed with the previous key is accepted', async () => {
  const before = await createSessionTokens([jwtKeys[1] ?? jwtKeys[0]], clock);
  expect(await tokens.verify(await before.sign({ ...session, expiresAt: inAnHour() }))).toEqual(session);
});

test('a token is valid until its expiry by the shop’s clock, then reports its expiry', async () => {
  const token = await tokens.sign({ ...session, expiresAt: inAnHour() });
  const start = now;
  now = new Date(start.getTime() + 3_599_000);
  expect(await tokens.verify(token)).toEqual(session);
  now = new Date(start.getTime() + 3_600_000);
  await refused(token, 'Session expired. Please login again.');
  now = start;
});

describe('a token is refused:', () => {
  test.each(['', 'x', '..', 'a.b.c', `${'a'.repeat(9_000)}.b.c`, '\u0000', 'null', '{}'])('%.20j', (token) =>
    refused(token),
  );

  test.each([
    ['alg none', { ...goodHeader, alg: 'none' }],
    ['alg None', { ...goodHeader, alg: 'None' }],
    ['no alg', { typ: goodHeader.typ, kid: 'j2' }],
    ['no type', { alg: 'HS256', kid: 'j2' }],
    ['another type', { ...goodHeader, typ: 'JWT' }],
    ['the type of a purpose-limited token', { ...goodHeader, typ: 'two-factor+jwt' }],
    ['no kid', { alg: 'HS256', typ: goodHeader.typ }],
    ['an unknown kid', { ...goodHeader, kid: 'j3' }],
    ['a kid that is a path', { ...goodHeader, kid: '../../dev/null' }],
    ['a kid of the prototype', { ...goodHeader, kid: '__proto__' }],
    ['an injected jwk', { ...goodHeader, jwk: { kty: 'oct', k: key.toString('base64url') } }],
    ['an injected jku', { ...goodHeader, jku: 'https://attacker.example/keys' }],
    ['an injected x5u', { ...goodHeader, x5u: 'https://attacker.example/cert' }],
    ['an unknown critical header', { ...goodHeader, crit: ['x'], x: 1 }],
    ['an unencoded payload', { ...goodHeader, b64: false, crit: ['b64'] }],
  ])('header with %s', (_, header) => refused(forge(header, goodClaims())));

  test('alg none without a signature', () =>
    refused(`${encode({ ...goodHeader, alg: 'none' })}.${encode(goodClaims())}.`));
  test('HS384 with the right key', () => refused(forge({ ...goodHeader, alg: 'HS384' }, goodClaims(), key, 'sha384')));
  test('another key', () => refused(forge(goodHeader, goodClaims(), randomBytes(32))));
  test('an empty key', () => refused(forge(goodHeader, goodClaims(), Buffer.alloc(0))));
  test('the key of another kid', () => refused(forge({ ...goodHeader, kid: 'j1' }, goodClaims())));

  test('RS256', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signed = `${encode({ ...goodHeader, alg: 'RS256' })}.${encode(goodClaims())}`;
    const signature = signBytes('sha256', Buffer.from(signed), privateKey).toString('base64url');
    return refused(`${signed}.${signature}`);
  });

  test.each([
    ['issuer', { iss: 'another' }],
    ['audience', { aud: 'another' }],
    ['audience list without ours', { aud: ['a', 'b'] }],
    ['user that is no text', { sub: 1 }],
    ['session that is no text', { sid: { $ne: '' } }],
    ['expiry that is no number', { exp: '9999999999' }],
    ['start in the future', { nbf: 9_999_999_999 }],
  ])('another %s', (_, change) => refused(forge(goodHeader, { ...goodClaims(), ...change })));

  test.each(['sub', 'sid', 'iss', 'aud', 'exp'] as const)('no %s', (claim) => {
    const { [claim]: _, ...claims } = goodClaims();
    return refused(forge(goodHeader, claims));
  });

  test('one changed character at any position', async () => {
    const token = await tokens.sign({ ...session, expiresAt: inAnHour() });
    for (let at = 0; at < token.length; at++) {
      for (const character of token[at] === 'A' ? 'BQ' : 'AQ') {
        if (character === token[at]) continue;
        await refused(token.slice(0, at) + character + token.slice(at + 1));
      }
    }
    await refused(`${token}A`);
    await refused(`${token}=`);
    await refused(token.slice(0, -1));
  });

  test('changed unused last bits of the signature', async () => {
    const token = await tokens.sign({ ...session, expiresAt: inAnHour() });
    const signature = Buffer.from(token.split('.')[2] ?? '', 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twins = [...alphabet]
      .map((last) => token.slice(0, -1) + last)
      .filter((twin) => twin !== token && Buffer.from(twin.split('.')[2] ?? '', 'base64url').equals(signature));
    expect(twins).toHaveLength(3);
    for (const twin of twins) await refused(twin);
  });
});
