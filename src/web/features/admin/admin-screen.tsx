import { useMutation } from '@tanstack/react-query';
import { Minus, RefreshCw, ScrollText, TrendingDown, TrendingUp } from 'lucide-react';
import { useState } from 'react';
import { trendText } from '../../../shared/statistics.ts';
import { messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { LoadFailureBanner } from '../../ui/loading.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AdminGuard, BackLink, Waiting } from './admin-page.tsx';
import { useAdminList, useDashboardUrl, useReloadDashboard, useStats } from './dashboard.ts';
import { ShopTotals } from './figures.tsx';
import { NotificationsTab } from './notifications/notifications-tab.tsx';
import { OrdersTab } from './orders/orders-tab.tsx';
import { OverviewTab } from './overview/overview-tab.tsx';
import { ProblemReportsTab } from './problem-reports/problem-reports-tab.tsx';
import { DigitalProductsTab } from './products/digital-products-tab.tsx';
import { PhysicalProductsTab } from './products/physical-products-tab.tsx';
import { ReportDialog } from './reports/report-dialog.tsx';
import { ReviewsTab } from './reviews/reviews-tab.tsx';
import { UsersTab } from './users/users-tab.tsx';

const TITLE = 'Admin Dashboard';

export function AdminScreen() {
  const { tab } = useDashboardUrl();
  const name = tabs.find(([value]) => value === tab)?.[1];
  useTitle(tab === 'overview' ? TITLE : `${name} · ${TITLE}`);
  return (
    <AdminGuard>
      <Dashboard />
    </AdminGuard>
  );
}

const tabs = [
  ['overview', 'Overview', null, OverviewTab],
  ['notifications', 'Notifications', 'unreadNotices', NotificationsTab],
  ['physical', 'Physical Products', 'totalPhysicalProducts', PhysicalProductsTab],
  ['digital', 'Digital Products', 'totalDigitalProducts', DigitalProductsTab],
  ['orders', 'Orders', 'totalOrders', OrdersTab],
  ['problem-reports', 'Problem Reports', 'openProblemReports', ProblemReportsTab],
  ['reviews', 'Reviews', 'pendingReviews', ReviewsTab],
  ['users', 'Users', 'totalUsers', UsersTab],
] as const;

const FAILED = 'Failed to load dashboard data';

function Dashboard() {
  const { tab, goTo } = useDashboardUrl();
  const { show } = useToasts();
  const reload = useReloadDashboard();
  // Read the first pages of products, orders and users in advance, so that their unfiltered tabs open without waiting.
  const stats = useStats();
  const reads = [
    stats,
    useAdminList('GET /admin/products', {}),
    useAdminList('GET /admin/digital-products', { status: 'active' }),
    useAdminList('GET /admin/orders', {}),
    useAdminList('GET /admin/users', {}),
  ];
  const failed = reads.find((read) => read.isLoadingError);
  const { mutate: refresh, isPending: isRefreshing } = useMutation({
    mutationFn: () => reload({ throwOnError: true }),
    onSuccess: () => show({ type: 'success', message: 'Dashboard refreshed!' }),
    onError: (failure) => show({ type: 'error', message: messageOf(failure, FAILED) }),
  });
  // Once shown, the dashboard stays: a retry of a failed query must not replace it by the loading screen.
  const isPending = reads.some((read) => read.isPending);
  const [isOpen, setIsOpen] = useState(false);
  if (!isPending && !isOpen) setIsOpen(true);
  if (isPending && !isOpen) return <Waiting>Loading Admin Dashboard...</Waiting>;
  return (
    <div className="mx-auto grid w-full max-w-page grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <div className="flex items-center gap-3">
          <BackLink to="/profile" label="Back to profile" />
          <div>
            <h1 className="text-2xl">{TITLE}</h1>
            <p className="text-muted">Complete control & management</p>
          </div>
        </div>
        <div className="flex flex-wrap gap-3">
          <ButtonLink icon={ScrollText} to="/admin/audit-log" variant="quiet">
            Audit Log
          </ButtonLink>
          <Button variant="secondary" loading={isRefreshing} onClick={() => refresh()}>
            {!isRefreshing && <RefreshCw aria-hidden className="size-[1.1em]" />}
            Refresh
          </Button>
        </div>
      </div>
      {failed && (
        <LoadFailureBanner
          message={messageOf(failed.error, FAILED)}
          query={{ isFetching: isRefreshing, refetch: refresh }}
        />
      )}
      <ShopTotals
        label="Totals"
        prefix="Total "
        names={['revenue', 'orders', 'users', 'products']}
        note={({ trends }, name) => <Trend percent={trends[name]} />}
      />
      <Tabs
        label="Parts of the shop"
        value={tab}
        onChange={goTo}
        tabs={tabs.map(([value, label, total, Content]) => ({
          value,
          label,
          count: total === null ? undefined : stats.data?.[total],
          content: <Content />,
        }))}
      />
      <ReportDialog />
    </div>
  );
}

const rising = [TrendingUp, 'text-success'] as const;
const falling = [TrendingDown, 'text-danger'] as const;
const still = [Minus, 'text-muted'] as const;

function Trend({ percent }: { percent: number | null }) {
  const [Icon, colour] = percent === 0 ? still : percent !== null && percent < 0 ? falling : rising;
  return (
    <span
      title="The last 30 days against the 30 before"
      className={`flex items-center gap-1.5 font-semibold ${colour}`}>
      <Icon aria-hidden className="size-4" />
      {trendText(percent)}
    </span>
  );
}
