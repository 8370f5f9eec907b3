import { CircleDollarSign, Package, ShoppingCart, TrendingDown, TrendingUp, Users } from 'lucide-react';
import type { AdminStats } from '../../../shared/admin.ts';
import { formatCount } from '../../../shared/figures.ts';
import { trendText } from '../../../shared/trends.ts';
import { classNames } from '../../ui/class-names.ts';
import { dollars } from './figures.ts';
import { StatTile } from './stat-tile.tsx';

/** The four figures above the tabs. */
export function DashboardTiles({ stats }: { stats: AdminStats | undefined }) {
  const count = (name: 'totalOrders' | 'totalUsers' | 'totalProducts') => stats && formatCount(stats[name]);
  return (
    <ul aria-label="Totals" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <StatTile icon={CircleDollarSign} label="Total Revenue" value={stats && dollars(stats.totalRevenue)}>
        <Trend percent={stats?.trends.revenue} />
      </StatTile>
      <StatTile icon={ShoppingCart} label="Total Orders" value={count('totalOrders')}>
        <Trend percent={stats?.trends.orders} />
      </StatTile>
      <StatTile icon={Users} label="Total Users" value={count('totalUsers')}>
        <Trend percent={stats?.trends.users} />
      </StatTile>
      <StatTile icon={Package} label="Total Products" value={count('totalProducts')}>
        <Trend percent={stats?.trends.products} />
      </StatTile>
    </ul>
  );
}

function Trend({ percent }: { percent: number | null | undefined }) {
  if (percent === undefined) return null;
  const shrinks = percent !== null && percent < 0;
  const Arrow = shrinks ? TrendingDown : TrendingUp;
  return (
    <p
      title="The last 30 days against the 30 before"
      className={classNames(
        'tabular flex items-center gap-1.5 text-sm font-semibold',
        shrinks ? 'text-danger' : 'text-success',
      )}
    >
      <Arrow aria-hidden className="size-4" />
      {trendText(percent)}
    </p>
  );
}
