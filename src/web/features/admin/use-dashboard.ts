import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, messageOf } from '../../lib/api-client.ts';
import { useToasts } from '../../state/toasts.tsx';
import { useAdminData, useAdminList, useReloadDashboard } from './admin-queries.ts';

const FAILED = 'Failed to load dashboard data';

export const useStats = () => useAdminData(['stats'], async () => (await call('GET /admin/stats')).data);

/** What the dashboard reads as it opens, all at once; the tabs find it there as long as nothing is searched for. */
export function useDashboard() {
  const { show } = useToasts();
  const reload = useReloadDashboard();
  const stats = useStats();
  const reads = [
    stats,
    useAdminList('GET /admin/products', {}),
    useAdminList('GET /admin/digital-products', { status: 'active' }),
    useAdminList('GET /orders', {}),
    useAdminList('GET /admin/digital-orders', {}),
    useAdminList('GET /admin/users', {}),
  ];
  const isPending = reads.some((read) => read.isPending);
  // Once open it stays so: a tab asks again for what failed, and would be gone while that is under way.
  const [isOpen, setIsOpen] = useState(false);
  if (!isPending && !isOpen) setIsOpen(true);
  const failed = reads.filter((read) => read.isLoadingError);
  const refresh = useMutation({
    mutationFn: () => reload({ throwOnError: true }),
    onSuccess: () => show({ type: 'success', message: 'Dashboard refreshed!' }),
    onError: (failure) => show({ type: 'error', message: messageOf(failure, FAILED) }),
  });
  return {
    stats: stats.data,
    isLoading: isPending && !isOpen,
    /** Why something is missing, in words; null when all is there. */
    problem: failed[0] ? messageOf(failed[0].error, FAILED) : null,
    refresh: () => refresh.mutate(),
    isRefreshing: refresh.isPending,
  };
}
