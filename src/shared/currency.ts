import { proportionOfCents, toCents } from './pricing.ts';

interface Currency {
  symbol: string;
  /** Units of this currency per US dollar (docs/conformance.md). */
  rate: number;
  decimals: 0 | 2;
}

export const currencies = {
  USD: { symbol: '$', rate: 1, decimals: 2 },
  MYR: { symbol: 'RM', rate: 4.72, decimals: 2 },
  EUR: { symbol: '€', rate: 0.92, decimals: 2 },
  GBP: { symbol: '£', rate: 0.79, decimals: 2 },
  SGD: { symbol: 'S$', rate: 1.34, decimals: 2 },
  JPY: { symbol: '¥', rate: 149.5, decimals: 0 },
  AUD: { symbol: 'A$', rate: 1.52, decimals: 2 },
  CAD: { symbol: 'C$', rate: 1.36, decimals: 2 },
  CNY: { symbol: '¥', rate: 7.24, decimals: 0 },
  THB: { symbol: '฿', rate: 34.5, decimals: 2 },
} as const satisfies Record<string, Currency>;

export type CurrencyCode = keyof typeof currencies;

export const currencyCodes = Object.keys(currencies) as CurrencyCode[];

export const isCurrencyCode = (code: string): code is CurrencyCode => Object.hasOwn(currencies, code);

// Members of the euro area, ISO 3166-1 alpha-2 (European Central Bank; Croatia since 2023, Bulgaria since 2026).
const euroArea = new Set('AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' '));

/**
 * Returns the currency that is shown to a visitor from a country (ISO 3166-1 alpha-2): the currency whose code begins
 * with the code of the country, EUR in the euro area, else USD.
 */
export function currencyOfCountry(countryCode: string): CurrencyCode {
  if (euroArea.has(countryCode)) return 'EUR';
  return currencyCodes.find((code) => code.slice(0, 2) === countryCode) ?? 'USD';
}

/**
 * Formats cents of USD in a currency at its fixed rate, rounding half up: symbol first, commas between thousands; yen
 * and yuan without decimals.
 */
export function formatPrice(usdCents: number, code: CurrencyCode = 'USD'): string {
  const { symbol, rate, decimals } = currencies[code];
  const sign = usdCents < 0 ? '-' : '';
  // Rates have at most two decimals, so both factors are integers and there is no floating-point error.
  const rateHundredths = Math.round(rate * 100);
  const cents = Math.abs(usdCents);
  if (decimals === 0) {
    const whole = proportionOfCents(cents, rateHundredths, 10_000);
    return `${sign}${symbol}${whole.toLocaleString('en-US')}`;
  }
  const minor = proportionOfCents(cents, rateHundredths, 100);
  const whole = Math.floor(minor / 100).toLocaleString('en-US');
  return `${sign}${symbol}${whole}.${String(minor % 100).padStart(2, '0')}`;
}

/** Formats an amount in dollars of USD as `formatPrice` does. */
export const formatDollars = (amount: number, code?: CurrencyCode): string => formatPrice(toCents(amount), code);
