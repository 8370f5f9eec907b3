import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AddressCountry } from '../../shared/shipping.ts';
import { call } from '../lib/api-client.ts';

const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: async (): Promise<AddressCountry[]> => (await call('GET /shipping/countries')).data,
  staleTime: Number.POSITIVE_INFINITY,
});

export const useCountries = () => useQuery(countriesQuery);

/** The countries that the shop ships to; loaded only if `enabled`. */
export const useShippingCountries = (enabled: boolean) =>
  useQuery({ ...countriesQuery, enabled, select: (countries) => countries.filter(({ isShippedTo }) => isShippedTo) });
