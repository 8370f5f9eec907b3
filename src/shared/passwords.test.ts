import { describe, expect, test } from 'vitest';
import { newPassword, PASSWORD_MIN_LENGTH, typedPassword } from './passwords.ts';

const refusalOf = (password: string) => newPassword.safeParse(password).error?.issues[0]?.message;

describe('a password that is chosen', () => {
  test('has six characters at least', () => {
    expect(PASSWORD_MIN_LENGTH).toBe(6);
    expect(refusalOf('gq7x!')).toBe('Password must be at least 6 characters');
    expect(refusalOf('gq7x!m')).toBeUndefined();
    expect(refusalOf('𝐠𝐪𝟕')).toBe('Password must be at least 6 characters');
  });

  test('has 200 characters at most, so that hashing it stays cheap', () => {
    expect(refusalOf('x7'.repeat(100))).toBeUndefined();
    expect(refusalOf(`${'x7'.repeat(100)}!`)).toBe('Password must be at most 200 characters');
  });

  test.each(['123456', 'password', 'PassWord123', 'QWERTY', 'iloveyou', 'ｐａｓｓｗｏｒｄ'])(
    'is not one that everybody tries: %s',
    (common) => {
      expect(refusalOf(common)).toBe('This password is too common, please choose another');
    },
  );

  test('keeps its spaces and its letters as typed', () => {
    expect(newPassword.parse('  Sesame öffne Dich  ')).toBe('  Sesame öffne Dich  ');
  });
});

describe('a password that is typed to sign in', () => {
  test('is only bounded, so that one chosen under older rules still opens', () => {
    expect(typedPassword.safeParse('123').success).toBe(true);
    expect(typedPassword.safeParse('').success).toBe(false);
    expect(typedPassword.safeParse('x'.repeat(201)).success).toBe(false);
  });
});
