import { describe, expect, test, vi } from 'vitest';
import { newPassword, PASSWORD_MIN_LENGTH, typedPassword } from './passwords.ts';

const refusalOf = (password: string) => newPassword.safeParse(password).error?.issues[0]?.message;

describe('a new password', () => {
  test('has at least six characters', () => {
    expect(PASSWORD_MIN_LENGTH).toBe(6);
    expect(refusalOf('gq7x!')).toBe('Password must be at least 6 characters');
    expect(refusalOf('gq7x!m')).toBeUndefined();
    expect(refusalOf('𝐠𝐪𝟕')).toBe('Password must be at least 6 characters');
  });

  test('has at most 200 characters, to bound the cost of its hash', () => {
    expect(refusalOf('x7'.repeat(100))).toBeUndefined();
    expect(refusalOf(`${'x7'.repeat(100)}!`)).toBe('Password must be at most 200 characters');
  });

  test('that is too long is not normalised, which takes seconds for a letter with many accents', () => {
    const normalising = vi.spyOn(String.prototype, 'normalize');
    expect(refusalOf('\u0300'.repeat(201))).toBe('Password must be at most 200 characters');
    expect(normalising).not.toHaveBeenCalled();
    normalising.mockRestore();
  });

  test.each(['123456', 'password', 'PassWord123', 'QWERTY', 'iloveyou', 'ｐａｓｓｗｏｒｄ'])(
    'must not be a common password: %s',
    (common) => {
      expect(refusalOf(common)).toBe('This password is too common, please choose another');
    },
  );

  test('keeps its spaces and letters as typed', () => {
    expect(newPassword.parse('  Sesame öffne Dich  ')).toBe('  Sesame öffne Dich  ');
  });
});

describe('a password at the login', () => {
  test('is only bounded in length, so that passwords chosen under older rules remain valid', () => {
    expect(typedPassword.safeParse('123').success).toBe(true);
    expect(typedPassword.safeParse('').success).toBe(false);
    expect(typedPassword.safeParse('x'.repeat(201)).success).toBe(false);
  });
});
