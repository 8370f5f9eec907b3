import { useMutation } from '@tanstack/react-query';
import { Minus, RefreshCw, ScrollText, TrendingDown, TrendingUp } from 'lucide-react';
import { type ChangeEvent, useState } from 'react';
import { type ReportKind, trendText } from '../../../shared/admin.ts';
import { messageOf, openFile } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { shopNow } from '../../lib/shop-clock.ts';
import { useDialogCall } from '../../state/answers.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form-page.tsx';
import { Field } from '../../ui/input.tsx';
import { LoadFailureBanner } from '../../ui/loading.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AdminGuard, BackLink, Waiting } from './admin-page.tsx';
import { downloadFile, useAdminList, useDashboardUrl, useReloadDashboard, useStats } from './dashboard.ts';
import { NotificationsTab } from './notifications/notifications-tab.tsx';
import { OrdersTab } from './orders/orders-tab.tsx';
import { OverviewTab, ShopTotals } from './overview/overview-tab.tsx';
import { ProblemReportsTab } from './problem-reports/problem-reports-tab.tsx';
import { DigitalProductsTab } from './products/digital-products-tab.tsx';
import { PhysicalProductsTab } from './products/physical-products-tab.tsx';
import { daysOf, type ReportDays, type ReportPeriod } from './report-days.ts';
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

function ReportDialog() {
  const { get, set } = useDashboardUrl();
  const close = () => set({ dialog: '' });
  return (
    <Dialog isOpen={get('dialog') === 'report'} onClose={close} title="Generate Report">
      <ReportForm onClose={close} />
    </Dialog>
  );
}

const kinds: Record<ReportKind, string> = { orders: 'Orders', sales: 'Sales by product', tax: 'Tax' };

const descriptions: Record<ReportKind, string> = {
  orders: 'Every paid order: buyer, amounts, what was refunded and what remains.',
  sales: 'Units and amounts of each product before tax, best sellers first.',
  tax: 'Sales before tax and the tax on them for each day, without what was refunded.',
};

const spans: Record<ReportPeriod | 'other', string> = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'last-30-days': 'Last 30 days',
  other: 'Custom',
};

function ReportForm({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<ReportKind>('orders');
  const [span, setSpan] = useState<ReportPeriod | 'other'>('this-month');
  const [days, setDays] = useState(() => daysOf('this-month', shopNow()));
  const [bytes, setBytes] = useState(0);
  const { show } = useToasts();
  // The download continues after the dialog is closed.
  const { onSubmit, ...form } = useDialogCall({
    send: async () => {
      setBytes(0);
      const file = await openFile('GET /admin/reports/:kind', { params: { kind }, query: days });
      await downloadFile(file, setBytes);
      show({ type: 'success', message: 'The report is downloaded' });
    },
    errorMessage: 'The report could not be made',
    onClose,
  });
  const isReversed = days.from !== '' && days.to !== '' && days.from > days.to;

  function choose(chosen: ReportPeriod | 'other') {
    setSpan(chosen);
    if (chosen !== 'other') setDays(daysOf(chosen, shopNow()));
  }

  const day = (name: keyof ReportDays) => ({
    type: 'date',
    value: days[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
      setSpan('other');
      setDays({ ...days, [name]: target.value });
    },
  });

  return (
    <Form
      {...form}
      action="Generate Report"
      className="gap-5"
      onSubmit={() => {
        if (!isReversed) onSubmit();
      }}
      onCancel={onClose}
      focused>
      <Select
        label="Report"
        options={kinds}
        value={kind}
        hint={descriptions[kind]}
        onChange={({ target }) => setKind(target.value as ReportKind)}
      />
      <Select
        label="Period"
        options={spans}
        value={span}
        onChange={({ target }) => choose(target.value as ReportPeriod | 'other')}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field {...day('from')} label="First day" />
        <Field {...day('to')} label="Last day" error={isReversed ? 'Must not be before the first day' : undefined} />
      </div>
      <p className="text-sm text-muted">
        A CSV file for Excel and other programs, in US dollars. An order counts on the day of its payment, in Malaysian
        time.
      </p>
      <p role="status" className="tabular text-sm empty:hidden">
        {form.isBusy && `Downloading: ${(bytes / 1_000_000).toFixed(1)} MB so far`}
      </p>
    </Form>
  );
}
