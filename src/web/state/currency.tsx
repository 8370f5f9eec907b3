import { useCallback } from 'react';
import { type CurrencyCode, formatPrice, isCurrencyCode } from '../../shared/currency.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';

/** The currency prices are shown in; what is paid is always US dollars. */
export function useCurrency() {
  const saved = useStored(storage.preferredCurrency);
  const code: CurrencyCode = saved !== null && isCurrencyCode(saved) ? saved : 'USD';
  /** Cents of USD as text in the chosen currency. */
  const format = useCallback((usdCents: number) => formatPrice(usdCents, code), [code]);
  return { code, format, choose: (chosen: CurrencyCode) => storage.preferredCurrency.write(chosen) };
}
