import { describe, expect, it } from 'vitest';
import { suggestEmail } from './suggest-email.ts';

describe('the correction of a mistyped email domain', () => {
  it.each([
    ['aminah@gmial.com', 'aminah@gmail.com'],
    ['aminah@gmai.com', 'aminah@gmail.com'],
    ['aminah@gmail.co', 'aminah@gmail.com'],
    ['aminah@gmail.con', 'aminah@gmail.com'],
    ['aminah@gmaill.com', 'aminah@gmail.com'],
    ['aminah@gmailcom', 'aminah@gmail.com'],
    [' A.B+c@Hotmial.com ', 'A.B+c@hotmail.com'],
    ['a@yahooo.com.my', 'a@yahoo.com.my'],
    ['a@outlok.com', 'a@outlook.com'],
    ['a@iclod.com', 'a@icloud.com'],
  ])('for %s is %s', (typed, meant) => {
    expect(suggestEmail(typed)).toBe(meant);
  });

  it.each([
    'aminah@gmail.com',
    'aminah@GMAIL.com',
    'aminah@ymail.com',
    'aminah@email.com',
    'aminah@fmail.com.my',
    'aminah@example.com',
    'aminah@kedai.test',
    'aminah@um.edu.my',
    'aminah@me.com',
    'aminah@mac.com',
    'aminah@gmial',
    '@gmial.com',
    'gmial.com',
    '',
  ])('is not suggested for %s', (typed) => {
    expect(suggestEmail(typed)).toBeUndefined();
  });
});
