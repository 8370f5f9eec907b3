import { CircleDollarSign, FileSpreadsheet, Package, PackagePlus, ShoppingCart, Users } from 'lucide-react';
import { formatCount } from '../../../../shared/format.ts';
import { trendText } from '../../../../shared/trends.ts';
import { Button } from '../../../ui/button.tsx';
import { useStats } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { formatDollars, StatTile } from '../figures.tsx';
import { OverviewCard } from './overview-card.tsx';
import { BestSellers, LowStock, RecentOrders } from './overview-lists.tsx';
import { FirstSteps, NeedsAttention } from './overview-tasks.tsx';
import { SalesCard } from './sales-card.tsx';

export function OverviewTab() {
  return (
    <div className="grid gap-4 sm:gap-5">
      <h2 className="text-xl">Dashboard Overview</h2>
      <NeedsAttention />
      <FirstSteps />
      <OverviewTiles />
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-3">
        <SalesCard className="lg:col-span-2" />
        <div className="grid content-start gap-4 sm:gap-5">
          <SystemStatistics />
          <QuickActions />
        </div>
        <RecentOrders />
        <BestSellers />
        <LowStock />
      </div>
    </div>
  );
}

const change = (percent: number | null, words: string) =>
  percent === null ? trendText(percent) : `${trendText(percent)} ${words}`;

const tiles = [
  [CircleDollarSign, 'Revenue', 'totalRevenue', formatDollars],
  [ShoppingCart, 'Orders', 'totalOrders', formatCount],
  [Package, 'Products', 'totalProducts', formatCount],
  [Users, 'Users', 'totalUsers', formatCount],
] as const;

function OverviewTiles() {
  const { data: stats } = useStats();
  const notes = stats && {
    Revenue: change(stats.trends.revenue, 'from last month'),
    Orders: `${formatCount(stats.pendingOrders)} pending`,
    Products: `${formatCount(stats.lowStockItems)} low stock`,
    Users: change(stats.trends.users, 'growth'),
  };
  return (
    <ul aria-label="At a glance" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {tiles.map(([icon, label, name, format]) => (
        <StatTile key={label} icon={icon} label={label} value={stats && format(stats[name])}>
          {notes && <p className="tabular text-sm text-muted">{notes[label]}</p>}
        </StatTile>
      ))}
    </ul>
  );
}

const statistics = [
  ['Pending Orders', 'pendingOrders'],
  ['Active Products', 'activeProducts'],
  ['Low Stock Items', 'lowStockItems'],
  ['Active Users', 'activeUsers'],
] as const;

function SystemStatistics() {
  const { data: stats } = useStats();
  return (
    <OverviewCard title="System Statistics">
      <dl className="grid divide-y divide-line">
        {statistics.map(([label, name]) => (
          <div key={name} className="flex justify-between gap-4 py-2 first:pt-0 last:pb-0">
            <dt className="text-muted">{label}</dt>
            <dd className="tabular font-semibold">{stats ? formatCount(stats[name]) : '–'}</dd>
          </div>
        ))}
      </dl>
    </OverviewCard>
  );
}

function QuickActions() {
  const { goTo, set } = useDashboardUrl();
  const actions = [
    [PackagePlus, 'Add Product', () => goTo('digital', { dialog: 'add' })],
    [ShoppingCart, 'View Orders', () => goTo('orders')],
    [Users, 'Manage Users', () => goTo('users')],
    [FileSpreadsheet, 'Generate Report', () => set({ dialog: 'report' })],
  ] as const;
  return (
    <OverviewCard title="Quick Actions">
      <div className="grid grid-cols-2 gap-2">
        {actions.map(([Icon, label, run]) => (
          <Button key={label} variant="secondary" className="flex-col py-3 text-sm" onClick={run}>
            <Icon aria-hidden className="size-5 text-accent-ink" />
            {label}
          </Button>
        ))}
      </div>
    </OverviewCard>
  );
}
