import {
  CircleDollarSign,
  FileSpreadsheet,
  type LucideIcon,
  Package,
  PackagePlus,
  ShoppingCart,
  Users,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '../../../../shared/figures.ts';
import { trendText } from '../../../../shared/trends.ts';
import { Button } from '../../../ui/button.tsx';
import { useStats } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { dollars, StatTile } from '../figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { OverviewCard } from './overview-card.tsx';
import { BestSellers, LowStock, RecentOrders } from './product-lists.tsx';
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

const against = (percent: number | null, words: string) =>
  percent === null ? trendText(percent) : `${trendText(percent)} ${words}`;

function OverviewTiles() {
  const { data: stats } = useStats();
  return (
    <ul aria-label="At a glance" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <StatTile icon={CircleDollarSign} label="Revenue" value={stats && dollars(stats.totalRevenue)}>
        {stats && <Note>{against(stats.trends.revenue, 'from last month')}</Note>}
      </StatTile>
      <StatTile icon={ShoppingCart} label="Orders" value={stats && formatCount(stats.totalOrders)}>
        {stats && <Note>{formatCount(stats.pendingOrders)} pending</Note>}
      </StatTile>
      <StatTile icon={Package} label="Products" value={stats && formatCount(stats.totalProducts)}>
        {stats && <Note>{formatCount(stats.lowStockItems)} low stock</Note>}
      </StatTile>
      <StatTile icon={Users} label="Users" value={stats && formatCount(stats.totalUsers)}>
        {stats && <Note>{against(stats.trends.users, 'growth')}</Note>}
      </StatTile>
    </ul>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="tabular text-sm text-muted">{children}</p>;
}

function SystemStatistics() {
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

function QuickActions() {
  const { goTo, set } = useDashboardUrl();
  return (
    <OverviewCard title="Quick Actions">
      <div className="grid grid-cols-2 gap-2">
        <Action icon={PackagePlus} label="Add Product" onClick={() => goTo('digital', { dialog: 'add' })} />
        <Action icon={ShoppingCart} label="View Orders" onClick={() => goTo('orders')} />
        <Action icon={Users} label="Manage Users" onClick={() => goTo('users')} />
        <Action icon={FileSpreadsheet} label="Generate Report" onClick={() => set({ dialog: 'report' })} />
      </div>
    </OverviewCard>
  );
}

function Action({ icon: Icon, label, onClick }: { icon: LucideIcon; label: string; onClick(): void }) {
  return (
    <Button variant="secondary" className="flex-col py-3 text-sm" onClick={onClick}>
      <Icon aria-hidden className="size-5 text-accent-ink" />
      {label}
    </Button>
  );
}
