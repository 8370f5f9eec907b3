import { describe, expect, it } from 'vitest';
import { cardSchema, formatCardNumber, formatCvc, formatExpiry } from './card-fields.ts';

const good = { number: '4242 4242 4242 4242', expiry: '12 / 89', cvc: '123' };

const complaints = (change: Partial<typeof good>) =>
  cardSchema.safeParse({ ...good, ...change }).error?.issues.map(({ message }) => message) ?? [];

describe('validation of the test-mode card', () => {
  it('accepts a complete card', () => {
    expect(complaints({})).toEqual([]);
    expect(complaints({ number: '378282246310005', cvc: '1234' })).toEqual([]);
  });

  it.each([
    [{ number: '' }, 'Your card number is incomplete.'],
    [{ number: '4242 4242' }, 'Your card number is incomplete.'],
    [{ number: '4242 4242 4242 4241' }, 'Your card number is invalid.'],
    [{ expiry: '' }, "Your card's expiration date is incomplete."],
    [{ expiry: '13 / 89' }, "Your card's expiration month is invalid."],
    [{ expiry: '00 / 89' }, "Your card's expiration month is invalid."],
    [{ expiry: '12 / 20' }, "Your card's expiration date is in the past."],
    [{ cvc: '12' }, "Your card's security code is incomplete."],
  ])('reports one error for %j', (change, complaint) => {
    expect(complaints(change)).toEqual([complaint]);
  });

  it('accepts a card in its month of expiry', () => {
    const now = new Date();
    const month = String(now.getMonth() + 1).padStart(2, '0');
    expect(complaints({ expiry: `${month} / ${String(now.getFullYear()).slice(2)}` })).toEqual([]);
  });
});

describe('formatting while typing', () => {
  it.each([
    ['4242', '4242'],
    ['42424', '4242 4'],
    ['4242-4242x4242 4242', '4242 4242 4242 4242'],
    ['4242424242424242999999', '4242 4242 4242 4242 999'],
    ['', ''],
  ])('formats the number %j as %j', (typed, shown) => {
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
  ])('formats the expiry %j as %j', (typed, shown) => {
    expect(formatExpiry(typed)).toBe(shown);
  });

  it('keeps at most four digits of a security code', () => {
    expect(formatCvc('12a345')).toBe('1234');
  });
});
