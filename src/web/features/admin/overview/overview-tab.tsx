import { DoorClosed, FileSpreadsheet, PackagePlus, ShoppingCart, Users } from 'lucide-react';
import { formatCount } from '../../../../shared/format.ts';
import type { AdminStats } from '../../../../shared/statistics.ts';
import { trendText } from '../../../../shared/trends.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { useStats } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { ShopTotals } from '../figures.tsx';
import { ClosedShop, CloseShopDialog } from './closed-shop.tsx';
import { BestSellers, LowStock, RecentOrders } from './overview-lists.tsx';
import { FirstSteps, NeedsAttention } from './overview-tasks.tsx';
import { SalesCard } from './sales-card.tsx';

export function OverviewTab() {
  return (
    <div className="grid gap-4 sm:gap-5">
      <h2 className="text-xl">Dashboard Overview</h2>
      <ClosedShop />
      <NeedsAttention />
      <FirstSteps />
      <ShopTotals
        label="At a glance"
        names={['revenue', 'orders', 'products', 'users']}
        note={(stats, name) => notes(stats)[name]}
      />
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-3">
        <SalesCard />
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

const notes = ({ trends, pendingOrders, lowStockItems }: AdminStats) => ({
  revenue: change(trends.revenue, 'from last month'),
  orders: `${formatCount(pendingOrders)} pending`,
  products: `${formatCount(lowStockItems)} low stock`,
  users: change(trends.users, 'growth'),
});

const statistics = [
  ['Pending Orders', 'pendingOrders'],
  ['Active Products', 'activeProducts'],
  ['Low Stock Items', 'lowStockItems'],
  ['Active Users', 'activeUsers'],
] as const;

function SystemStatistics() {
  const { data: stats } = useStats();
  return (
    <Section heading="h3" title="System Statistics">
      <dl className="grid divide-y divide-line">
        {statistics.map(([label, name]) => (
          <div key={name} className="flex justify-between gap-4 py-2 first:pt-0 last:pb-0">
            <dt className="text-muted">{label}</dt>
            <dd className="tabular font-semibold">{stats ? formatCount(stats[name]) : '–'}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function QuickActions() {
  const { goTo, set } = useDashboardUrl();
  const actions = [
    [PackagePlus, 'Add Product', () => goTo('digital', { dialog: 'add' })],
    [ShoppingCart, 'View Orders', () => goTo('orders')],
    [Users, 'Manage Users', () => goTo('users')],
    [FileSpreadsheet, 'Generate Report', () => set({ dialog: 'report' })],
    [DoorClosed, 'Close the Shop', () => set({ dialog: 'close' })],
  ] as const;
  return (
    <Section heading="h3" title="Quick Actions">
      <div className="grid grid-cols-2 gap-2">
        {actions.map(([Icon, label, run]) => (
          <Button key={label} variant="secondary" className="flex-col py-3 text-sm" onClick={run}>
            <Icon aria-hidden className="size-5 text-accent-ink" />
            {label}
          </Button>
        ))}
      </div>
      <CloseShopDialog />
    </Section>
  );
}
