import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CurrencyCode,
  currencies,
  currencyCodes,
  currencyOfCountry,
  formatPrice,
  isCurrencyCode,
} from './currency.ts';

describe('a price in another currency', () => {
  // US cents: nothing, one cent, a price, thousands, and a debt.
  test.each<[CurrencyCode, string, string, string, string, string]>([
    ['USD', '$0.00', '$0.01', '$19.99', '$12,345.67', '-$19.99'],
    ['MYR', 'RM0.00', 'RM0.05', 'RM94.35', 'RM58,271.56', '-RM94.35'],
    ['EUR', '€0.00', '€0.01', '€18.39', '€11,358.02', '-€18.39'],
    ['GBP', '£0.00', '£0.01', '£15.79', '£9,753.08', '-£15.79'],
    ['SGD', 'S$0.00', 'S$0.01', 'S$26.79', 'S$16,543.20', '-S$26.79'],
    ['JPY', '¥0', '¥1', '¥2,989', '¥1,845,678', '-¥2,989'],
    ['AUD', 'A$0.00', 'A$0.02', 'A$30.38', 'A$18,765.42', '-A$30.38'],
    ['CAD', 'C$0.00', 'C$0.01', 'C$27.19', 'C$16,790.11', '-C$27.19'],
    ['CNY', '¥0', '¥0', '¥145', '¥89,383', '-¥145'],
    ['THB', '฿0.00', '฿0.35', '฿689.66', '฿425,925.62', '-฿689.66'],
  ])('%s', (code, nothing, cent, price, thousands, debt) => {
    const shown = [0, 1, 1_999, 1_234_567, -1_999].map((usdCents) => formatPrice(usdCents, code));
    expect(shown).toEqual([nothing, cent, price, thousands, debt]);
  });

  test('is in dollars by default', () => {
    expect(formatPrice(499)).toBe('$4.99');
  });

  test.each<[number, CurrencyCode, string]>([
    [25, 'MYR', 'RM1.18'], // exactly 1.18
    [1, 'THB', '฿0.35'], // 0.345
    [3, 'THB', '฿1.04'], // 1.035
    [50, 'GBP', '£0.40'], // 0.395
    [25, 'SGD', 'S$0.34'], // 0.335
    [2, 'JPY', '¥3'], // 2.99
    [100, 'JPY', '¥150'], // 149.5
    [125, 'CNY', '¥9'], // 9.05
  ])('%i US cents in %s, halves rounded up, is %s', (usdCents, code, shown) => {
    expect(formatPrice(usdCents, code)).toBe(shown);
  });

  test('is rounded to the nearest amount of that currency, for any price', () => {
    const price = fc.tuple(fc.nat({ max: 2 ** 31 - 1 }), fc.constantFrom(...currencyCodes));
    fc.assert(
      fc.property(price, ([usdCents, code]) => {
        const { symbol, rate, decimals } = currencies[code];
        const shown = formatPrice(usdCents, code);
        expect(shown.startsWith(symbol)).toBe(true);
        const amount = shown.slice(symbol.length).replaceAll(',', '');
        expect(amount).toMatch(decimals === 0 ? /^\d+$/ : /^\d+\.\d\d$/);

        // In 1/10,000 of a unit, so that all numbers are integers: shown - exact is in (-1/2, 1/2] of the last digit.
        const scale = decimals === 0 ? 10_000n : 100n;
        const difference = BigInt(amount.replace('.', '')) * scale - BigInt(usdCents) * BigInt(Math.round(rate * 100));
        expect(2n * difference > -scale && 2n * difference <= scale).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('the currency of a country', () => {
  test.each([
    ['MY', 'MYR'],
    ['US', 'USD'],
    ['GB', 'GBP'],
    ['EU', 'EUR'],
    ['SG', 'SGD'],
    ['JP', 'JPY'],
    ['AU', 'AUD'],
    ['CA', 'CAD'],
    ['CN', 'CNY'],
    ['TH', 'THB'],
  ])('%s is %s', (country, code) => {
    expect(currencyOfCountry(country)).toBe(code);
  });

  test('is the euro in all 21 countries of the euro area', () => {
    const countries = 'AT BE BG HR CY EE FI FR DE GR IE IT LV LT LU MT NL PT SK SI ES'.split(' ');
    expect(countries).toHaveLength(21);
    expect(countries.filter((country) => currencyOfCountry(country) !== 'EUR')).toEqual([]);
  });

  test.each(['SE', 'DK', 'PL', 'CH', 'NO', 'BR', 'ID', '', 'my', 'constructor', '__proto__'])(
    'is the dollar if the shop has no currency for the country: "%s"',
    (country) => {
      expect(currencyOfCountry(country)).toBe('USD');
    },
  );
});

test('only the ten listed codes are currencies, not the properties of every object', () => {
  expect(currencyCodes).toHaveLength(10);
  expect(currencyCodes.every(isCurrencyCode)).toBe(true);
  expect(['', 'usd', 'XXX', 'toString', 'constructor', '__proto__'].some(isCurrencyCode)).toBe(false);
});
