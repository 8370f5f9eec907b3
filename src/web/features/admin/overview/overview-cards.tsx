import type { UseQueryResult } from '@tanstack/react-query';
import { KeyRound, Package } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { LowStockEntry, Sales } from '../../../../shared/admin.ts';
import { formatDollars, formatPrice } from '../../../../shared/currency.ts';
import { formatCount, formatShopDay, orderNumber, plural } from '../../../../shared/format.ts';
import { toCents } from '../../../../shared/pricing.ts';
import { call } from '../../../lib/api-client.ts';
import { Day } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Badge, classNames, Picture, Section, Skeleton } from '../../../ui/display.tsx';
import { TryAgain } from '../../../ui/loading.tsx';
import { OrderStatusBadges } from '../../../ui/order-parts.tsx';
import { Table } from '../../../ui/table.tsx';
import { productListPath, useAdminData, useAdminList, useDashboardUrl } from '../dashboard.ts';

// The chart library is larger than the rest of the dashboard. The figures do not wait for it.
const SalesChart = lazy(() =>
  import('./sales-chart.tsx').then(
    (file) => ({ default: file.SalesChart }),
    () => ({
      default: () => <p className="py-8 text-muted">The chart could not be loaded. Please load the page again.</p>,
    }),
  ),
);

const spans = ['7', '30', '90'] as const;

function useSales() {
  const { get, set } = useDashboardUrl();
  const days = spans.find((span) => span === get('days')) ?? '30';
  const sales = useAdminData(['sales', days], () => call('GET /admin/sales', { query: { days } }));
  return { days, sales, choose: (span: (typeof spans)[number]) => set({ days: span }) };
}

function CardQuery<T>({ query, children }: { query: UseQueryResult<T>; children(data: T): ReactNode }) {
  const { data, isError } = query;
  if (data !== undefined) return children(data);
  if (!isError) return <Skeleton className="h-64" />;
  return (
    <div className="grid justify-items-start gap-3 text-muted">
      <p>This could not be loaded.</p>
      <TryAgain query={query} variant="secondary" size="sm" />
    </div>
  );
}

export function SalesCard() {
  const { days, sales, choose } = useSales();
  return (
    <Section
      heading="h3"
      title="Revenue and Orders"
      className="lg:col-span-2"
      beside={
        <fieldset className="flex gap-1 rounded-md bg-sunken p-1">
          <legend className="sr-only">Days shown</legend>
          {spans.map((span) => (
            <button
              key={span}
              type="button"
              aria-pressed={span === days}
              onClick={() => choose(span)}
              className={classNames(
                'min-h-9 rounded-sm px-3 text-sm font-semibold transition-colors pointer-coarse:min-h-11',
                span === days ? 'bg-surface text-accent-ink shadow-card' : 'text-muted hover:text-ink',
              )}>
              {span} days
            </button>
          ))}
        </fieldset>
      }>
      <CardQuery query={sales}>{({ days: sold }) => <Figures days={sold} />}</CardQuery>
    </Section>
  );
}

function Figures({ days }: { days: Sales['days'] }) {
  const revenueCents = days.reduce((sum, { revenue }) => sum + toCents(revenue), 0);
  const orders = days.reduce((sum, day) => sum + day.orders, 0);
  return (
    <>
      <p className="tabular flex flex-wrap gap-x-6 gap-y-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span aria-hidden className="h-0.5 w-4 bg-accent forced-color-adjust-none" />
          <strong>{formatPrice(revenueCents)}</strong> revenue
        </span>
        <span className="flex flex-wrap items-center gap-x-2">
          <span aria-hidden className="size-3 rounded-[2px] bg-info/35 forced-color-adjust-none" />
          <strong>{formatCount(orders)}</strong> {plural(orders, 'order')}
        </span>
      </p>
      {/* The table below has the same figures. */}
      <div aria-hidden className="h-64 overflow-hidden lg:h-96">
        <Suspense fallback={<Skeleton className="h-full" />}>
          <SalesChart days={days} />
        </Suspense>
      </div>
      <details className="text-sm">
        <summary className="w-max rounded-sm py-1 font-semibold text-accent-ink pointer-coarse:py-3">
          Show as a table
        </summary>
        <div className="mt-3">
          <Table
            caption="Revenue and orders by day"
            columns={['Day', 'Revenue', 'Orders']}
            numeric={['Revenue', 'Orders']}
            rows={days
              .toReversed()
              .map(({ day, revenue, orders: made }) => ({
                key: day,
                cells: [formatShopDay(day), formatDollars(revenue), formatCount(made)],
              }))}
          />
        </div>
      </details>
    </>
  );
}

const SHOWN = 5;

export function BestSellers() {
  const { days, sales } = useSales();
  return (
    <Section heading="h3" title="Best Sellers" beside={<p className="text-sm text-muted">Last {days} days</p>}>
      <CardQuery query={sales}>
        {({ bestSellers, days: sold }) =>
          bestSellers.length === 0 ? (
            <p className="text-muted">
              {sold.some(({ orders }) => orders > 0)
                ? 'No sales counted yet. They are counted every few minutes.'
                : 'Nothing was sold in this period'}
            </p>
          ) : (
            <ol className="-mx-2 grid grid-cols-1">
              {bestSellers.map((best) => (
                <Product key={best.product} {...best} detail={formatDollars(best.revenue)}>
                  <span className="tabular text-sm font-semibold">{formatCount(best.units)} sold</span>
                </Product>
              ))}
            </ol>
          )
        }
      </CardQuery>
    </Section>
  );
}

export function LowStock() {
  const low = useAdminData(['low-stock'], () => call('GET /admin/low-stock'));
  const [showsAll, setShowsAll] = useState(false);
  return (
    <Section heading="h3" title="Low Stock">
      <CardQuery query={low}>
        {(entries) => (
          <>
            {entries.length === 0 && <p className="text-muted">No active product is low on stock</p>}
            <ul className="-mx-2 grid grid-cols-1">
              {entries.slice(0, showsAll ? undefined : SHOWN).map((entry) => (
                <Product key={entry.product} {...entry} detail={coverOf(entry)}>
                  <Badge tone={entry.available === 0 ? 'danger' : 'warning'}>{formatCount(entry.available)} left</Badge>
                </Product>
              ))}
            </ul>
            {entries.length > SHOWN && (
              <Button variant="quiet" size="sm" onClick={() => setShowsAll(!showsAll)}>
                {showsAll ? 'Show fewer' : `Show all ${formatCount(entries.length)}`}
              </Button>
            )}
          </>
        )}
      </CardQuery>
    </Section>
  );
}

/** Says how long the stock lasts if sales go on as in the last 30 days. */
function coverOf({ daysOfCover, available, soldLast30Days }: LowStockEntry): string {
  if (daysOfCover === null) return 'None sold in 30 days';
  if (available === 0) return `Sold out, ${formatCount(soldLast30Days)} sold in 30 days`;
  const days = Math.floor(daysOfCover);
  return days === 0 ? 'Less than a day of cover' : `${days} ${plural(days, 'day')} of cover`;
}

interface ProductProps extends Pick<LowStockEntry, 'kind' | 'name' | 'image' | 'category'> {
  detail: string;
  children: ReactNode;
}

function Product({ kind, name, image, category, detail, children }: ProductProps) {
  return (
    <EntryLink to={productListPath(kind, name)}>
      <Picture src={image} category={category} className="aspect-4/3 w-12 shrink-0 rounded-sm" />
      <span className="grid min-w-0 flex-1 basis-[7rem]">
        <span dir="auto" className="line-clamp-4 text-left font-semibold wrap-anywhere">
          {name}
        </span>
        <span className="tabular text-sm text-muted">{detail}</span>
      </span>
      {children}
    </EntryLink>
  );
}

const EntryLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <li>
    <Link to={to} className="flex min-h-14 flex-wrap items-center gap-x-3 rounded-md px-2 py-1.5 hover:bg-accent-soft">
      {children}
    </Link>
  </li>
);

export function RecentOrders() {
  const { data } = useAdminList('GET /admin/orders', {});
  const orders = data?.pages[0]?.data.slice(0, SHOWN) ?? [];
  return (
    <Section heading="h3" title="Recent Orders">
      {orders.length === 0 && (
        <p className="text-muted">{data ? 'No orders yet' : 'The orders could not be loaded.'}</p>
      )}
      <ul className="-mx-2 grid grid-cols-1">
        {orders.map((order) => {
          const [Icon, type] = order.orderType === 'digital' ? [KeyRound, 'Digital'] : [Package, 'Physical'];
          return (
            <EntryLink key={order._id} to={`/admin/orders/${order._id}`}>
              <span className="grid size-9 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-ink">
                <Icon aria-hidden className="size-4.5" />
                <span className="sr-only">{type}</span>
              </span>
              <span className="grid min-w-0 flex-1 basis-[7rem]">
                <span className="tabular font-semibold">#{orderNumber(order._id)}</span>
                <Day at={order.createdAt} className="text-sm text-muted" />
              </span>
              <span className="grid flex-1 basis-24 justify-items-end gap-1">
                <span className="tabular font-semibold">{formatDollars(order.totalPrice)}</span>
                <span className="flex flex-wrap justify-end gap-1">
                  <OrderStatusBadges order={order} />
                </span>
              </span>
            </EntryLink>
          );
        })}
      </ul>
    </Section>
  );
}
