import type { LucideIcon } from 'lucide-react';
import { CircleDollarSign, Package, ShoppingCart, TrendingDown, TrendingUp, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminStats } from '../../../shared/admin.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { toCents } from '../../../shared/pricing.ts';
import { trendText } from '../../../shared/trends.ts';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';

const count = (number: number) => number.toLocaleString('en-MY');

/** The four figures above the tabs; dashes stand for what could not be read. */
export function DashboardTiles({ stats }: { stats: AdminStats | undefined }) {
  return (
    <ul aria-label="Totals" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Tile icon={CircleDollarSign} label="Total Revenue" trend={stats?.trends.revenue}>
        {stats && formatPrice(toCents(stats.totalRevenue))}
      </Tile>
      <Tile icon={ShoppingCart} label="Total Orders" trend={stats?.trends.orders}>
        {stats && count(stats.totalOrders)}
      </Tile>
      <Tile icon={Users} label="Total Users" trend={stats?.trends.users}>
        {stats && count(stats.totalUsers)}
      </Tile>
      <Tile icon={Package} label="Total Products" trend={stats?.trends.products}>
        {stats && count(stats.totalProducts)}
      </Tile>
    </ul>
  );
}

interface TileProps {
  icon: LucideIcon;
  label: string;
  trend: number | null | undefined;
  children: ReactNode;
}

function Tile({ icon: Icon, label, trend, children }: TileProps) {
  return (
    <li>
      <Card className="grid h-full content-start gap-2 p-4 sm:p-5">
        <p className="flex items-center justify-between gap-2 text-sm text-muted">
          {label}
          <Icon aria-hidden className="size-5 shrink-0 text-accent-ink" strokeWidth={1.75} />
        </p>
        <p className="tabular text-xl font-bold wrap-anywhere sm:text-2xl">{children ?? '–'}</p>
        {trend !== undefined && <Trend percent={trend} />}
      </Card>
    </li>
  );
}

function Trend({ percent }: { percent: number | null }) {
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
