import { expect, test } from 'vitest';
import { INVALID_SESSION, SESSION_EXPIRED } from '../../shared/session-messages.ts';
import { problemOfToken } from './examine-token.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const seconds = now / 1000;

const part = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const token = ({ header = {}, payload = {} }: { header?: object; payload?: object } = {}) =>
  [
    part({ alg: 'HS256', typ: 'session+jwt', kid: '1', ...header }),
    part({ sub: 'somebody ÿ', exp: seconds + 60, ...payload }),
    'signature',
  ].join('.');

test('a session token that has not expired is valid', () => {
  expect(problemOfToken(token(), now)).toBeNull();
});

test('a token has expired from the second of its expiry on', () => {
  expect(problemOfToken(token({ payload: { exp: seconds + 1 } }), now)).toBeNull();
  expect(problemOfToken(token({ payload: { exp: seconds } }), now)).toBe(SESSION_EXPIRED);
});

test.each([
  ['has no three parts', token().split('.').slice(0, 2).join('.')],
  ['has four parts', `${token()}.more`],
  ['is no base64', 'not.a.token'],
  ['holds no JSON', `${btoa('{"typ":')}.${btoa('{}')}.signature`],
  ['holds nothing', `${part(null)}.${part(null)}.signature`],
  ['is of another type', token({ header: { typ: 'pending-login+jwt' } })],
  ['says no type', token({ header: { typ: undefined } })],
  ['is for one purpose', token({ payload: { purpose: 'two-factor' } })],
  ['never expires', token({ payload: { exp: undefined } })],
])('a token that %s is not a session', (_, malformed) => {
  expect(problemOfToken(malformed, now)).toBe(INVALID_SESSION);
});
