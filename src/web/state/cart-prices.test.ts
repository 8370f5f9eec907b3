import { expect, test } from 'vitest';
import { digitalProduct } from '../../../test/digital-product.ts';
import { nextPriceChange, priceLine, toCartProduct } from './cart-lines.ts';

const now = new Date('2026-03-01T12:00:00Z');
const anHour = 3_600_000;
const later = (offset: number) => new Date(now.getTime() + offset);

const onSale = digitalProduct({
  price: 30,
  effectivePrice: 20,
  discount: { type: 'fixed', value: 5, startDate: null, endDate: later(2 * anHour).toISOString() },
  flashSale: {
    active: true,
    price: 20,
    startDate: null,
    endDate: later(anHour).toISOString(),
    limitedStock: 2,
    unitsLeft: 2,
  },
  stock: 9,
});

test('the cart stores the current price of one unit and the regular price', () => {
  expect(toCartProduct(onSale, now)).toMatchObject({ price: 20, regularPrice: 30, stock: 9 });
});

test('more units than the flash sale has left cost the discounted price', () => {
  const product = toCartProduct(onSale, now);
  expect(priceLine({ product, quantity: 2 }, now).unitPriceCents).toBe(2000);
  expect(priceLine({ product, quantity: 3 }, now).unitPriceCents).toBe(2500);
});

test('the price of a line changes when its offers end', () => {
  const entry = { product: toCartProduct(onSale, now), quantity: 1 };
  expect(priceLine(entry, later(anHour)).unitPriceCents).toBe(2500);
  expect(priceLine(entry, later(2 * anHour)).unitPriceCents).toBe(3000);
});

test('the next price change is the nearest future end of an offer', () => {
  const entries = [{ product: toCartProduct(onSale, now), quantity: 1 }];
  expect(nextPriceChange(entries, now)).toBe(later(anHour).getTime());
  expect(nextPriceChange(entries, later(anHour))).toBe(later(2 * anHour).getTime());
  expect(nextPriceChange(entries, later(2 * anHour))).toBeUndefined();
});
