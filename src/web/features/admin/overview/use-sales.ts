import { call } from '../../../lib/api-client.ts';
import { useAdminData } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';

export const spans = ['7', '30', '90'] as const;

/** What was sold in the days that the address says. */
export function useSales() {
  const { get, set } = useDashboardUrl();
  const days = spans.find((span) => span === get('days')) ?? '30';
  const sales = useAdminData(
    ['sales', days],
    async () => (await call('GET /admin/sales', { query: { days } })).data,
  );
  return { days, sales, choose: (span: (typeof spans)[number]) => set({ days: span }) };
}
