import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { formatPrice } from '../../../../shared/currency.ts';
import { formatCount, formatShopDay, plural } from '../../../../shared/format.ts';
import { toCents } from '../../../../shared/pricing.ts';
import type { Sales } from '../../../../shared/statistics.ts';
import { call } from '../../../lib/api-client.ts';
import { Section, Skeleton } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { TryAgain } from '../../../ui/loading.tsx';
import { Table } from '../../../ui/table.tsx';
import { useAdminData } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { formatDollars } from '../figures.tsx';

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

export function useSales() {
  const { get, set } = useDashboardUrl();
  const days = spans.find((span) => span === get('days')) ?? '30';
  const sales = useAdminData(['sales', days], () => call('GET /admin/sales', { query: { days } }));
  return { days, sales, choose: (span: (typeof spans)[number]) => set({ days: span }) };
}

/** The result of a query, a skeleton while it loads, or a button to try again after a failure. */
export function CardQuery<T>({ query, children }: { query: UseQueryResult<T>; children(data: T): ReactNode }) {
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
