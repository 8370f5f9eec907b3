import { describe, expect, it } from 'vitest';
import { formatCardNumber, formatCvc, formatExpiry } from './card-format.ts';

describe('what is typed into the card form', () => {
  it.each([
    ['4242', '4242'],
    ['42424', '4242 4'],
    ['4242-4242x4242 4242', '4242 4242 4242 4242'],
    ['4242424242424242999999', '4242 4242 4242 4242 999'],
    ['', ''],
  ])('groups the number %j as %j', (typed, shown) => {
    expect(formatCardNumber(typed)).toBe(shown);
  });

  it.each([
    ['1', '1'],
    ['12', '12'],
    ['123', '12 / 3'],
    ['12 / 34', '12 / 34'],
    ['5', '05'],
    ['534', '05 / 34'],
    ['12/2034', '12 / 34'],
    ['', ''],
  ])('shows the expiry %j as %j', (typed, shown) => {
    expect(formatExpiry(typed)).toBe(shown);
  });

  it('keeps at most four digits of a security code', () => {
    expect(formatCvc('12a345')).toBe('1234');
  });
});
