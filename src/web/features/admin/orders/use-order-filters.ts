import { orderStatus } from '../../../../shared/orders.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { useTypedFilters } from '../use-typed-filters.ts';

/** What narrows the list of orders: what is typed, and a status. */
export function useOrderFilters() {
  const { get, set } = useDashboardUrl();
  const { query, isNarrowed, ...filters } = useTypedFilters();
  const status = orderStatus.options.find((known) => known === get('status')) ?? '';
  return {
    ...filters,
    status,
    query: { ...query, ...(status && { status }) },
    isNarrowed: isNarrowed || status !== '',
    chooseStatus: (chosen: string) => set({ status: chosen }),
  };
}

export type OrderFilters = ReturnType<typeof useOrderFilters>;
