import { describe, expect, it } from 'vitest';
import { cardSchema } from './card-schema.ts';

const good = { number: '4242 4242 4242 4242', expiry: '12 / 89', cvc: '123' };

const complaints = (change: Partial<typeof good>) =>
  cardSchema.safeParse({ ...good, ...change }).error?.issues.map(({ message }) => message) ?? [];

describe('the card form', () => {
  it('takes a complete card', () => {
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
  ])('says one thing about %j', (change, complaint) => {
    expect(complaints(change)).toEqual([complaint]);
  });

  it('takes a card in the month in which it expires', () => {
    const now = new Date();
    const month = String(now.getMonth() + 1).padStart(2, '0');
    expect(complaints({ expiry: `${month} / ${String(now.getFullYear()).slice(2)}` })).toEqual([]);
  });
});
