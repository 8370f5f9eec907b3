import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type CurrencyCode, currencyOfCountry, formatPrice, isCurrencyCode } from '../../shared/currency.ts';
import { call } from '../lib/api-client.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';

const known = (saved: string | null) => (saved !== null && isCurrencyCode(saved) ? saved : undefined);

/** The country this visit comes from; null when the shop cannot tell. */
const countryQuery = queryOptions({
  queryKey: ['country'],
  queryFn: async () => {
    const { country_code, country_name } = await call('GET /location');
    if (country_code === '') return null;
    // Who has chosen a currency keeps it, wherever they are today.
    if (known(storage.preferredCurrency.read()) === undefined) {
      storage.preferredCurrency.write(currencyOfCountry(country_code));
    }
    return { code: country_code, name: country_name };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Finds out once a visit where the shopper is, and shows prices in that country's currency unless one is saved. */
export const useCountry = () => useQuery(countryQuery).data ?? undefined;

/** The currency prices are shown in; what is paid is always US dollars. */
export function useCurrency() {
  const code: CurrencyCode = known(useStored(storage.preferredCurrency)) ?? 'USD';
  /** Cents of USD as text in the chosen currency. */
  const format = useCallback((usdCents: number) => formatPrice(usdCents, code), [code]);
  return { code, format, choose: (chosen: CurrencyCode) => storage.preferredCurrency.write(chosen) };
}
