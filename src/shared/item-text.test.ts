import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountItem, maskContent, readAccount } from './item-text.ts';

test.each([
  ['a key', 'ABCD-EFGH-IJKL', 'ABCD••••••••IJKL'],
  ['eleven characters', 'ABCDEFGHIJK', 'ABCD••••••••HIJK'],
  ['ten characters', 'ABCDEFGHIJ', '••••••••'],
  ['a short secret', 'x', '••••••••'],
  ['nothing', '', '••••••••'],
  ['user and password', 'mina:correct horse', 'mina:••••••••'],
  ['a short user and password', 'a:b', 'a:••••••••'],
  ['a password with colons', 'mina@example.com:a:b:c', 'mina@example.com:••••••••'],
  ['a user without a password', 'mina:', 'mina:••••••••'],
  ['an account by its fields', 'User: mina tan\nPassword: a: b\nNote: c', 'mina tan:••••••••'],
  ['a key with a remark', 'ABCD-EFGH-IJKL (region: EU)', '••••••••'],
  ['a user whose name has spaces', 'Mina Tan:hunter2', '••••••••'],
  ['a password without a user', ':secret-password', ':••••••••'],
  ['a key with a remark behind a colon', 'ABCDE-FGHIJ-KLMNO:EU', '••••••••'],
  ['a key with a remark behind a colon and a space', 'ABCDE-FGHIJ-KLMNO: EU', '••••••••'],
  ['a user of capitals and a dash', 'MINA-TAN:hunter2', 'MINA-TAN:••••••••'],
])('%s is masked', (_what, content, masked) => {
  expect(maskContent(content)).toBe(masked);
});

test('a mask reveals at most eight characters of the content, and not its length', () => {
  const key = fc.string({ minLength: 11, maxLength: 60 }).filter((content) => !content.includes(':'));
  fc.assert(
    fc.property(key, (content) => {
      const masked = maskContent(content);
      expect(masked).toHaveLength(16);
      expect(masked).toBe(`${content.slice(0, 4)}••••••••${content.slice(-4)}`);
    }),
  );
});

test('a mask of user and password reveals only the user', () => {
  const part = fc.string({ minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      part.filter((user) => /^[^\s:]+$/.test(user)),
      part,
      (user, password) => {
        expect(maskContent(`${user}:${password}`)).toBe(`${user}:••••••••`);
      },
    ),
  );
});

test('an account is one item with one line per field, and is parsed into its fields', () => {
  const item = accountItem({ User: ' siti@example.com ', Password: 'a: b', Note: '' });
  expect(item).toBe('User: siti@example.com\nPassword: a: b');
  expect(readAccount(item)).toEqual([
    { label: 'User', value: 'siti@example.com' },
    { label: 'Password', value: 'a: b' },
  ]);
  expect(readAccount(accountItem({ User: 'siti', Password: 'x', Note: 'Until May' }))?.at(-1)).toEqual({
    label: 'Note',
    value: 'Until May',
  });
});

test('an item in another format is not parsed as an account', () => {
  for (const content of [
    'AAAA-BBBB',
    'siti:secret',
    'User: siti',
    'User: a\nPassword: b\nsomething',
    'Line\nPassword: b',
    'Note: a\nPassword: b',
  ])
    expect(readAccount(content)).toBeNull();
});
