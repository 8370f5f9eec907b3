import { CircleDollarSign, Package, ShoppingCart, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '../../../../shared/figures.ts';
import { trendText } from '../../../../shared/trends.ts';
import { dollars } from '../figures.ts';
import { StatTile } from '../stat-tile.tsx';
import { useStats } from '../use-dashboard.ts';

const against = (percent: number | null, words: string) =>
  percent === null ? trendText(percent) : `${trendText(percent)} ${words}`;

export function OverviewTiles() {
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
