import { formatCount } from '../../../../shared/figures.ts';
import { useStats } from '../use-dashboard.ts';
import { OverviewCard } from './overview-card.tsx';

export function SystemStatistics() {
  const { data: stats } = useStats();
  return (
    <OverviewCard title="System Statistics">
      <dl className="grid divide-y divide-line">
        <Row label="Pending Orders" count={stats?.pendingOrders} />
        <Row label="Active Products" count={stats?.activeProducts} />
        <Row label="Low Stock Items" count={stats?.lowStockItems} />
        <Row label="Active Users" count={stats?.activeUsers} />
      </dl>
    </OverviewCard>
  );
}

function Row({ label, count }: { label: string; count: number | undefined }) {
  return (
    <div className="flex justify-between gap-4 py-2 first:pt-0 last:pb-0">
      <dt className="text-muted">{label}</dt>
      <dd className="tabular font-semibold">{count === undefined ? '–' : formatCount(count)}</dd>
    </div>
  );
}
