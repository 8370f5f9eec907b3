import { CircleDollarSign, Package, ShoppingCart, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatPrice } from '../../../shared/currency.ts';
import { formatCount } from '../../../shared/format.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { AdminStats } from '../../../shared/statistics.ts';
import { classNames } from '../../ui/class-names.ts';
import { Card } from '../../ui/display.tsx';
import { useStats } from './dashboard.ts';

/** Formats an amount in US dollars: the currency of every charge, whichever currency the shop's pages show. */
export const formatDollars = (amount: number): string => formatPrice(toCents(amount));

export const ringgit = (amount: number): string => formatPrice(toCents(amount), 'MYR');

interface FactsProps {
  /** Values by label; empty values are left out. */
  facts: Record<string, ReactNode>;
  className?: string;
}

export const Facts = ({ facts, className }: FactsProps) => (
  <dl className={classNames('grid gap-3 text-sm', className)}>
    {Object.entries(facts).map(
      ([label, value]) =>
        value && (
          <div key={label} className="grid min-w-0 content-start gap-0.5">
            <dt className="text-muted">{label}</dt>
            <dd className="font-medium wrap-anywhere">{value}</dd>
          </div>
        ),
    )}
  </dl>
);

/** Turns a name into words, e.g. `order-delivered` into `Order delivered`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/[.\-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const totals = {
  revenue: [CircleDollarSign, 'Revenue', ({ totalRevenue }: AdminStats) => formatDollars(totalRevenue)],
  orders: [ShoppingCart, 'Orders', ({ totalOrders }: AdminStats) => formatCount(totalOrders)],
  products: [Package, 'Products', ({ totalProducts }: AdminStats) => formatCount(totalProducts)],
  users: [Users, 'Users', ({ totalUsers }: AdminStats) => formatCount(totalUsers)],
} as const;

interface ShopTotalsProps {
  label: string;
  names: (keyof typeof totals)[];
  prefix?: string;
  note(stats: AdminStats, name: keyof typeof totals): ReactNode;
}

export function ShopTotals({ label, names, prefix = '', note }: ShopTotalsProps) {
  const { data: stats } = useStats();
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-[repeat(auto-fit,minmax(min(8.5rem,100%),1fr))] gap-3 sm:grid-cols-2 sm:gap-4 lg:grid-cols-4">
      {names.map((key) => {
        const [Icon, name, format] = totals[key];
        return (
          <li key={key}>
            <Card className="grid h-full content-start gap-2 p-4 sm:p-5">
              <p className="flex items-center justify-between gap-2 text-sm text-muted">
                {prefix + name}
                <Icon aria-hidden className="size-5 shrink-0 text-accent-ink" strokeWidth={1.75} />
              </p>
              <Total>{stats ? format(stats) : '–'}</Total>
              {stats && <p className="tabular text-sm text-muted">{note(stats, key)}</p>}
            </Card>
          </li>
        );
      })}
    </ul>
  );
}

/** Sizes by the number of characters up to which they fit. */
const sizes = [
  [8, 'text-xl'],
  [9, 'text-lg'],
  [11, 'text-base'],
  [13, 'text-sm'],
] as const;

/** A long amount is smaller on a small screen, where two tiles share a row, so that it is not broken in the middle. */
function Total({ children }: { children: string }) {
  const [, size] = sizes.find(([longest]) => children.length <= longest) ?? [undefined, 'text-xs'];
  return <p className={classNames('tabular font-bold wrap-anywhere sm:text-2xl', size)}>{children}</p>;
}
