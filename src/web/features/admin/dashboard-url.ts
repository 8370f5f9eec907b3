import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { ProductKind } from '../../../shared/catalog.ts';
import { day, MAX_SEARCH_LENGTH } from '../../../shared/paging.ts';
import { changedParams, useDebouncedParams } from '../../lib/url-params.ts';

const dashboardTabs = [
  'overview',
  'notifications',
  'physical',
  'digital',
  'orders',
  'problem-reports',
  'reviews',
  'users',
] as const;
export type DashboardTab = (typeof dashboardTabs)[number];

/** The open tab with its filters and dialog, kept in the URL for a reload, the back button and a shared link. */
export function useDashboardUrl() {
  const [params, setParams] = useSearchParams();
  const tab = dashboardTabs.find((name) => name === params.get('tab')) ?? 'overview';
  const get = (name: string) => params.get(name) ?? '';
  /** Changes some parameters; an empty value removes its name. Adds no history entry, so that Back skips filters. */
  const set = useCallback(
    (changes: Record<string, string>) => setParams(changedParams(changes), { replace: true }),
    [setParams],
  );
  /** Opens a tab without the filters of the previous tab. */
  const goTo = (name: DashboardTab, filters: Record<string, string> = {}) => setParams({ tab: name, ...filters });
  return { tab, get, set, goTo };
}

/** Returns the URL of a tab, with the filters that were active when the detail page was opened. */
export function useListPath(tab?: DashboardTab): string {
  const { state } = useLocation() as { state: { from?: string } | null };
  return `/admin${state?.from ?? (tab ? `?tab=${tab}` : '')}`;
}

/** Returns the URL of the list with this product, which may be hidden by now. */
export const productListPath = (kind: ProductKind, name: string): string =>
  `/admin?${new URLSearchParams({ tab: kind, q: name.slice(0, MAX_SEARCH_LENGTH), show: 'all' })}`;

const noFilters = { q: '', from: '', to: '' };
const dayOrEmpty = (text: string) => (day.safeParse(text).success ? text : '');

/** Returns a list's filters: search words, first and last day, and one of `statuses`. `query` is for the server. */
export function useListFilters<Status extends string = never>(statuses: readonly Status[] = []) {
  const { get, set } = useDashboardUrl();
  const [q, from, to] = [get('q'), dayOrEmpty(get('from')), dayOrEmpty(get('to'))];
  const { typed, type, overwrite } = useDebouncedParams({ q, from, to }, set);
  const status = statuses.find((known) => known === get('status'));
  const search = q.trim();
  return {
    typed,
    type,
    status,
    query: { ...(search && { q: search }), ...(from && { from }), ...(to && { to }), ...(status && { status }) },
    isFiltered: status !== undefined || Object.values(typed).some((text) => text !== ''),
    clear() {
      overwrite(noFilters);
      set({ ...noFilters, status: '' });
    },
  };
}
