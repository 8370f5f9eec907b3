import {
  type InvalidateOptions,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Api } from '../../../shared/api.ts';
import type { InputOf, OutputOf } from '../../../shared/endpoint.ts';
import { CallError, call } from '../../lib/api-client.ts';

/** The lists of the dashboard, which all page alike. */
export type ListName =
  | 'GET /admin/digital-products'
  | 'GET /admin/products'
  | 'GET /admin/digital-orders'
  | 'GET /orders'
  | 'GET /admin/users'
  | 'GET /admin/audit-log';
export type QueryOf<N extends ListName> =
  InputOf<Api[N]> extends { query: infer Query } ? Omit<Query, 'cursor'> : never;
type PageOf<N extends ListName> = OutputOf<Api[N]>;

// What asks by itself waits as long as it is told to slow down, and says nothing (docs/conformance.md).
const RETRY_AFTER_MS = 2000;
const MAX_RETRIES = 2;
const LOOK_AGAIN_MS = 3000;
const retry = (failures: number, failure: Error) =>
  failure instanceof CallError &&
  (failure.status === 429 || (failures < MAX_RETRIES && (failure.status === 0 || failure.status >= 500)));
const patience = { retry, retryDelay: RETRY_AFTER_MS };

/** All that the dashboard shows is kept under this key, so that one word refreshes it. */
export const ADMIN = 'admin';

/** One list, page by page: `fetchNextPage` for more. What was shown stays while another search is under way. */
export function useAdminList<N extends ListName>(name: N, query: QueryOf<N>) {
  const ask = call as (name: N, input: object) => Promise<PageOf<N>>;
  return useAdminPages<PageOf<N>>([name, query], (cursor) =>
    ask(name, { query: { ...query, ...(cursor !== null && { cursor }) } }),
  );
}

/** Any other list that is read page by page; `key` says what it is. */
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
    ...patience,
  });
}

/** Anything else that the dashboard reads; `key` says what it is. Read again and again while it `awaits` something. */
export function useAdminData<T>(
  key: readonly unknown[],
  read: () => Promise<T>,
  awaits: (data: T) => boolean = () => false,
) {
  return useQuery({
    queryKey: [ADMIN, ...key],
    queryFn: read,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => data !== undefined && awaits(data) && LOOK_AGAIN_MS,
    ...patience,
  });
}

/** Runs `handler` whenever one of these reads is answered with 403, until the answered function is called. */
export const onReadRefused = (client: QueryClient, handler: () => void): (() => void) =>
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error' || event.query.queryKey[0] !== ADMIN)
      return;
    if (event.action.error instanceof CallError && event.action.error.status === 403) handler();
  });

/** Reads again whatever of the dashboard is on the screen, and the rest when it is gone to. Fails when told to. */
export function useReloadDashboard(): (options?: InvalidateOptions) => Promise<void> {
  const client = useQueryClient();
  return useCallback((options) => client.invalidateQueries({ queryKey: [ADMIN] }, options), [client]);
}

export const useStats = () => useAdminData(['stats'], async () => (await call('GET /admin/stats')).data);
