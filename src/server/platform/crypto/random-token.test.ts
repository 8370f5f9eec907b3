import { expect, test } from 'vitest';
import { hashToken, randomToken } from './tokens.ts';

test('tokens have 256 random bits, are safe in a URL and unique', () => {
  const tokens = Array.from({ length: 1_000 }, randomToken);
  expect(new Set(tokens).size).toBe(1_000);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
});

test('a token is stored as its SHA-256', () => {
  // FIPS 180-4's example for "abc".
  expect(hashToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
