import { expect, test } from 'vitest';
import { accountItem, readAccount } from './item-text.ts';

test('an account is one item with a line for each field, and is read back by its fields', () => {
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

test('any other item is shown as it is', () => {
  for (const content of [
    'AAAA-BBBB',
    'siti:secret',
    'User: siti',
    'User: a\nPassword: b\nsomething',
    'Line\nPassword: b',
  ])
    expect(readAccount(content)).toBeNull();
});
