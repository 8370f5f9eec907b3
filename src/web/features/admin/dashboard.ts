import {
  type InvalidateOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { Api } from '../../../shared/api.ts';
import type { ProductKind } from '../../../shared/catalog.ts';
import type { InputOf, OutputOf } from '../../../shared/endpoint.ts';
import { day, MAX_SEARCH_LENGTH } from '../../../shared/paging.ts';
import { CallError, call, isTransient } from '../../lib/api-client.ts';
import { changedParams, useDebouncedParams } from '../../lib/page.ts';
import { refetchWhile } from '../../state/answers.ts';

/** The calls of the dashboard that answer page by page. */
export type ListName = {
  [N in keyof Api & `GET /admin/${string}`]: OutputOf<Api[N]> extends { nextCursor: unknown } ? N : never;
}[keyof Api & `GET /admin/${string}`];
export type QueryOf<N extends ListName> =
  InputOf<Api[N]> extends { query: infer Query } ? Omit<Query, 'cursor'> : never;
export type EntryOf<N extends ListName> = OutputOf<Api[N]>['data'][number];
type PageOf<N extends ListName> = Omit<OutputOf<Api[N]>, 'data'> & { data: EntryOf<N>[] };

/** First element of the key of everything that the dashboard reads, so that all of it can be refreshed at once. */
export const ADMIN = 'admin';

// A query of the dashboard is retried silently as long as the server responds 429 (too many requests).
const RETRY_AFTER_MS = 2000;
const MAX_RETRIES = 2;
const retrying = {
  retry: (failures: number, failure: Error) =>
    isTransient(failure) && (failures < MAX_RETRIES || (failure instanceof CallError && failure.status === 429)),
  retryDelay: RETRY_AFTER_MS,
};

/** Reads a list page by page. The entries of one search stay until those of the next search have loaded. */
export function useAdminList<N extends ListName>(name: N, query: QueryOf<N>) {
  const ask = call as (name: N, input: object) => Promise<PageOf<N>>;
  return useAdminPages<PageOf<N>>([name, query], (cursor) =>
    ask(name, { query: { ...query, ...(cursor !== null && { cursor }) } }),
  );
}

/** Reads any other list page by page. `key` identifies it in the cache. */
export function useAdminPages<Page extends { nextCursor: string | null }>(
  key: readonly unknown[],
  read: (cursor: string | null) => Promise<Page>,
) {
  return useInfiniteQuery({
    queryKey: [ADMIN, ...key],
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page) => last.nextCursor,
    placeholderData: keepPreviousData,
    ...retrying,
  });
}

/** Reads any other data of the dashboard. `key` identifies it in the cache. Repeats while `isPending` returns true. */
export function useAdminData<T>(
  key: readonly unknown[],
  read: () => Promise<{ data: T }>,
  isPending?: (data: T) => boolean,
) {
  return useQuery({
    queryKey: [ADMIN, ...key],
    queryFn: async () => (await read()).data,
    placeholderData: keepPreviousData,
    refetchInterval: isPending ? refetchWhile(isPending) : false,
    ...retrying,
  });
}

export const useStats = () => useAdminData(['stats'], () => call('GET /admin/stats'));

/** Returns a function that reloads the dashboard's data: on the open screen at once, elsewhere once it is opened. */
export function useReloadDashboard(): (options?: InvalidateOptions) => Promise<void> {
  const client = useQueryClient();
  return useCallback((options) => client.invalidateQueries({ queryKey: [ADMIN] }, options), [client]);
}

/**
 * Downloads a file, reports the bytes so far, and hands it to the browser. Throws CallError when the connection breaks, or
 * when the response is not the shop's: the shop names each file.
 */
export async function downloadFile(
  response: Response,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<void> {
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  if (name === undefined) throw brokenDownload();
  const pieces: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
      onProgress(bytes);
    }
  } catch {
    throw brokenDownload();
  }
  const url = URL.createObjectURL(new Blob(pieces, { type: response.headers.get('content-type') ?? '' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoked later, because the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const brokenDownload = () => new CallError(0, 'UNREACHABLE', 'The download broke off. Please try again.');

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
  const set = (changes: Record<string, string>) => setParams(changedParams(changes), { replace: true });
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
