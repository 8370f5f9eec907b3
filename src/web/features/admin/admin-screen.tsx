import { CircleAlert, RefreshCw, ScrollText } from 'lucide-react';
import { Link } from 'react-router';
import { useTitle } from '../../lib/use-title.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AdminGuard, Waiting } from './admin-guard.tsx';
import { BackLink } from './admin-page.tsx';
import { DashboardTiles } from './dashboard-tiles.tsx';
import { useDashboardUrl } from './dashboard-url.ts';
import { DigitalProductsTab } from './digital-products/digital-products-tab.tsx';
import { OrdersTab } from './orders/orders-tab.tsx';
import { OverviewTab } from './overview/overview-tab.tsx';
import { PhysicalProductsTab } from './physical-products/physical-products-tab.tsx';
import { ReportDialog } from './reports/report-dialog.tsx';
import { useDashboard } from './use-dashboard.ts';
import { UsersTab } from './users/users-tab.tsx';

export function AdminScreen() {
  useTitle('Admin Dashboard');
  return (
    <AdminGuard>
      <Dashboard />
    </AdminGuard>
  );
}

function Dashboard() {
  const { stats, isLoading, problem, refresh, isRefreshing } = useDashboard();
  const { tab, get, goTo } = useDashboardUrl();
  if (isLoading) return <Waiting>Loading Admin Dashboard...</Waiting>;
  const tabs = [
    { value: 'overview', label: 'Overview', count: undefined, content: <OverviewTab /> },
    {
      value: 'physical',
      label: 'Physical Products',
      count: stats?.totalPhysicalProducts,
      content: <PhysicalProductsTab />,
    },
    {
      value: 'digital',
      label: 'Digital Products',
      count: stats?.totalDigitalProducts,
      content: <DigitalProductsTab />,
    },
    { value: 'orders', label: 'Orders', count: stats?.totalOrders, content: <OrdersTab /> },
    { value: 'users', label: 'Users', count: stats?.totalUsers, content: <UsersTab /> },
  ] as const;
  return (
    <div className="mx-auto grid w-full max-w-page grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <div className="flex items-center gap-3">
          <BackLink to="/profile" label="Back to profile" />
          <div>
            <h1 className="text-2xl">Admin Dashboard</h1>
            <p className="text-muted">Complete control & management</p>
          </div>
        </div>
        <div className="flex flex-wrap gap-3">
          <Link to="/admin/audit-log" className={buttonClass('quiet')}>
            <ScrollText aria-hidden className="size-5" />
            Audit log
          </Link>
          <Button variant="secondary" loading={isRefreshing} onClick={refresh}>
            {!isRefreshing && <RefreshCw aria-hidden className="size-[1.1em]" />}
            Refresh
          </Button>
        </div>
      </div>
      {problem !== null && <Problem message={problem} onRetry={refresh} isRetrying={isRefreshing} />}
      <DashboardTiles stats={stats} />
      <Tabs label="Parts of the shop" value={tab} onChange={goTo} tabs={[...tabs]} />
      {get('dialog') === 'report' && <ReportDialog />}
    </div>
  );
}

interface ProblemProps {
  message: string;
  onRetry(): void;
  isRetrying: boolean;
}

/** Above what could be read, which stays of use. */
function Problem({ message, onRetry, isRetrying }: ProblemProps) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger"
    >
      <p className="flex items-center gap-3 font-semibold">
        <CircleAlert aria-hidden className="size-5 shrink-0" />
        {message}
      </p>
      <Button variant="danger" size="sm" loading={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
