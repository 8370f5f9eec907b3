import { describe, expect, test } from 'vitest';
import { digitalProduct } from '../../../../test/digital-product.ts';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { countdown, hasTimedOffer, offerOf, timeLeft } from './offer.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const aMinute = 60_000;
const anHour = 60 * aMinute;
const iso = (offset: number) => new Date(now + offset).toISOString();

const product = (terms: Partial<DigitalProduct>) => digitalProduct({ price: 29.99, effectivePrice: 29.99, ...terms });

const discount = { type: 'percentage' as const, value: 25, startDate: null, endDate: null };
const flashSale = {
  active: true,
  price: 20,
  startDate: iso(-anHour),
  endDate: iso(anHour),
  limitedStock: 10,
  unitsLeft: 3,
};

describe('the offer on a product', () => {
  test('is only the regular price without a discount or flash sale', () => {
    expect(offerOf(product({}), now)).toEqual({ unitPriceCents: 2999, source: 'regular' });
  });

  test('of a discount has the old price and the whole percentage', () => {
    expect(offerOf(product({ discount }), now)).toMatchObject({
      unitPriceCents: 2249,
      regularPriceCents: 2999,
      percentOff: 25,
    });
  });

  test('has a percentage that is never rounded up', () => {
    // 29.99 to 20.00 is 33.3 % off.
    expect(offerOf(product({ flashSale }), now).percentOff).toBe(33);
  });

  test('keeps a whole percentage exact', () => {
    const percentOff = (per: number) =>
      offerOf(product({ price: 10, discount: { ...discount, type: 'percentage', value: per } }), now).percentOff;
    const whole = Array.from({ length: 99 }, (_, index) => index + 1);
    expect(whole.map(percentOff)).toEqual(whole);
  });

  test('of a flash sale has its end and the units left, and becomes the discount when the sale ends', () => {
    const both = product({ discount, flashSale });
    expect(offerOf(both, now)).toMatchObject({ source: 'flash-sale', unitPriceCents: 2000, unitsLeft: 3 });
    expect(offerOf(both, now).endsAt).toEqual(new Date(now + anHour));
    expect(offerOf(both, now + anHour)).toMatchObject({ source: 'discount', unitPriceCents: 2249 });
  });

  test('of a flash sale has no more units left than the stock', () => {
    expect(offerOf({ ...product({ flashSale }), stock: 2 }, now).unitsLeft).toBe(2);
  });

  test('of a flash sale above the regular price has no percentage or old price', () => {
    const dearer = product({ flashSale: { ...flashSale, price: 31 } });
    expect(offerOf(dearer, now)).toEqual({ unitPriceCents: 3100, source: 'flash-sale' });
  });

  test('needs a clock only while a running flash sale or discount has an end', () => {
    expect(hasTimedOffer(product({ discount }), now)).toBe(false);
    expect(hasTimedOffer(product({ discount, flashSale }), now)).toBe(true);
    expect(hasTimedOffer(product({ flashSale }), now + 2 * anHour)).toBe(false);
  });
});

test.each([
  [50 * anHour, '2d 2h'],
  [5 * anHour + 9 * aMinute, '5h 09m'],
  [anHour - 1, '59:59'],
  [61_000, '01:01'],
  [-1, '00:00'],
])('%d ms before its end a sale shows %s', (left, words) => {
  expect(timeLeft(new Date(now + left), now)).toBe(words);
});

test.each([
  [50 * anHour + 61_000, '2d 02:01:01'],
  [anHour - 1, '00:59:59'],
  [-1, '00:00:00'],
])('%d ms before its end the countdown shows %s', (left, words) => {
  expect(countdown(new Date(now + left), now)).toBe(words);
});
