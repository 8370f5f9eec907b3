import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { CategoryEntry, Product, ProductKind, ProductListQuery } from '../../shared/catalog.ts';
import type { Shop } from '../../shared/content.ts';
import { type CurrencyCode, currencyOfCountry, formatPrice, isCurrencyCode } from '../../shared/currency.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';
import type { ListFilters } from '../../shared/pages.ts';
import type { AddressCountry } from '../../shared/shipping.ts';
import { call } from '../lib/api-client.ts';
import { pageData } from '../lib/page.ts';
import { storage, useStored } from '../lib/storage.ts';

export const shopQuery = queryOptions({
  queryKey: ['shop'],
  queryFn: async () => (await call('GET /shop')).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The public settings of this shop; undefined until the server has responded. */
export function useShop(): Shop | undefined {
  return useQuery(shopQuery).data;
}

/** The message to buyers while the shop is closed; null while it is open. The page of home brings it. */
export const closedQuery = queryOptions({
  queryKey: ['closed'],
  queryFn: async () => (await call('GET /shop/closed')).data.text,
  initialData: pageData?.closed,
  staleTime: MINUTE_MS,
});

const known = (saved: string | null) => (saved !== null && isCurrencyCode(saved) ? saved : undefined);

/** The country of this visit; null if the shop cannot tell. */
const countryQuery = queryOptions({
  queryKey: ['country'],
  queryFn: async () => {
    const { country_code, country_name } = await call('GET /location');
    if (country_code === '') return null;
    // A currency that the visitor has chosen is kept in every country.
    if (known(storage.preferredCurrency.read()) === undefined) {
      storage.preferredCurrency.write(currencyOfCountry(country_code));
    }
    return { code: country_code, name: country_name };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Looks up the visitor's country once a visit, and uses its currency unless one is saved. */
export const useCountry = () => useQuery(countryQuery).data ?? undefined;

/** The currency in which prices are shown; payment is always in US dollars. */
export function useCurrency() {
  const code: CurrencyCode = known(useStored(storage.preferredCurrency)) ?? 'USD';
  /** Cents of USD as text in the chosen currency. */
  const format = useCallback((usdCents: number) => formatPrice(usdCents, code), [code]);
  return { code, format, choose: (chosen: CurrencyCode) => storage.preferredCurrency.write(chosen) };
}

/** The stored theme, light by default. public/theme.js has already set the class on the page when this runs. */
export function useTheme() {
  const theme = useStored(storage.theme);
  useEffect(() => {
    document.documentElement.classList.toggle('dark', theme === 'dark');
  }, [theme]);
  return { theme, toggle: () => storage.theme.write(theme === 'dark' ? 'light' : 'dark') };
}

export const infoPageQuery = (slug: string) =>
  queryOptions({
    queryKey: ['info-page', slug],
    queryFn: async () => (await call('GET /info-pages/:slug', { params: { slug } })).data,
  });

const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: async (): Promise<AddressCountry[]> => (await call('GET /shipping/countries')).data,
  staleTime: Number.POSITIVE_INFINITY,
});

export const useCountries = () => useQuery(countriesQuery);

export const useShippingCountries = (enabled: boolean) =>
  useQuery({ ...countriesQuery, enabled, select: (countries) => countries.filter(({ isShippedTo }) => isShippedTo) });

// The calls of the two kinds differ in their paths only.

const paths = { digital: '/digital-products', physical: '/products' } as const;

export interface ProductPage {
  data: Product[];
  nextCursor: string | null;
  total: number | null;
  hasUncounted: boolean;
}

export const loadProducts = (kind: ProductKind, query: ProductListQuery): Promise<ProductPage> =>
  call(`GET ${paths[kind]}`, { query });

/** The list page by page, cached for an hour, so that the way back from a product leads to the same position. */
export const productsQuery = ({ kind, category, sort, q }: ListFilters) =>
  infiniteQueryOptions({
    queryKey: ['products', { kind, category, sort, q }],
    queryFn: ({ pageParam }) =>
      loadProducts(kind, { category, sort, ...(q ? { q } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    gcTime: HOUR_MS,
  });

export const categoriesQuery = (kind: ProductKind) =>
  queryOptions({
    queryKey: ['categories', kind],
    queryFn: async (): Promise<CategoryEntry[]> => (await call(`GET ${paths[kind]}/categories/list`)).data,
  });

export const productQuery = (kind: ProductKind, id: string) =>
  queryOptions({
    queryKey: ['product', kind, id],
    queryFn: async (): Promise<Product> => (await call(`GET ${paths[kind]}/:id`, { params: { id } })).data,
  });

export const reviewsQuery = (product: string) =>
  infiniteQueryOptions({
    queryKey: ['reviews', product],
    queryFn: ({ pageParam: cursor }) =>
      call('GET /reviews', { query: { product, ...(cursor === null ? {} : { cursor }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
