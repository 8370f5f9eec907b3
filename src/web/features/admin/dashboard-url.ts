import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { day } from '../../../shared/paging.ts';
import { changedParams, useDebouncedParams } from '../../lib/url-params.ts';

export const dashboardTabs = ['overview', 'physical', 'digital', 'orders', 'users'] as const;
export type DashboardTab = (typeof dashboardTabs)[number];

/**
 * Which tab is open, with its filters and dialog, as the address says: a reload, the back button and a link sent to a
 * colleague all lead to what was seen.
 */
export function useDashboardUrl() {
  const [params, setParams] = useSearchParams();
  const tab = dashboardTabs.find((name) => name === params.get('tab')) ?? 'overview';
  /** Empty when it is not there. */
  const get = useCallback((name: string) => params.get(name) ?? '', [params]);
  /** Changes some; an empty value takes its name away. A filter replaces the address, so that back leads past all of them. */
  const set = useCallback(
    (changes: Record<string, string>) => setParams(changedParams(changes), { replace: true }),
    [setParams],
  );
  /** Goes to a tab, leaving the filters of the other behind. */
  const goTo = useCallback(
    (name: DashboardTab, filters: Record<string, string> = {}) => setParams({ tab: name, ...filters }),
    [setParams],
  );
  return { tab, get, set, goTo };
}

/** Where the list stands as it was narrowed when one of it was gone to. */
export function useListAddress(tab: DashboardTab): string {
  const { state } = useLocation() as { state: { from?: string } | null };
  return `/admin${state?.from ?? `?tab=${tab}`}`;
}

const none = { q: '', from: '', to: '' };
const dayOf = (text: string) => (day.safeParse(text).success ? text : '');

/** What narrows a list, its words and its first and last day; `query` as the server is asked for it. */
export function useTypedFilters() {
  const { get, set } = useDashboardUrl();
  const [q, from, to] = [get('q'), dayOf(get('from')), dayOf(get('to'))];
  const { typed, type, overwrite } = useDebouncedParams({ q, from, to }, set);

  const search = q.trim();
  return {
    typed,
    query: { ...(search && { q: search }), ...(from && { from }), ...(to && { to }) },
    type,
    isNarrowed: Object.values(typed).some((text) => text !== ''),
    /** All of it, and the status that may be chosen beside it. */
    clear() {
      overwrite(none);
      set({ ...none, status: '' });
    },
  };
}

/** The words alone, for a list without days. */
export function useSearch() {
  const { typed, query, type, clear } = useTypedFilters();
  return { typed: typed.q, search: query.q ?? '', type: (q: string) => type({ q }), clear };
}
