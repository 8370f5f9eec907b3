import { CircleDollarSign, DoorClosed, FileSpreadsheet, Package, PackagePlus, ShoppingCart, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AdminStats, trendText } from '../../../../shared/admin.ts';
import type { Api } from '../../../../shared/api.ts';
import { closedText, DEFAULT_CLOSED_MESSAGE } from '../../../../shared/content.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import type { OutputOf } from '../../../../shared/endpoint.ts';
import { formatCount } from '../../../../shared/format.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { useKeptState } from '../../../lib/forms.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card, classNames, Section } from '../../../ui/display.tsx';
import { Field } from '../../../ui/input.tsx';
import { ActionDialog, useKeepAs } from '../action-dialog.tsx';
import { useAdminData, useDashboardUrl, useStats } from '../dashboard.ts';
import { BestSellers, LowStock, RecentOrders, SalesCard } from './overview-cards.tsx';
import { FirstSteps, NeedsAttention } from './overview-tasks.tsx';

export function OverviewTab() {
  return (
    <div className="grid grid-cols-1 gap-4 sm:gap-5">
      <h2 className="text-xl">Dashboard Overview</h2>
      <ClosedShop />
      <NeedsAttention />
      <FirstSteps />
      <ShopTotals
        label="At a glance"
        names={['revenue', 'orders', 'products', 'users']}
        note={(stats, name) => notes(stats)[name]}
      />
      <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:grid-cols-3">
        <SalesCard />
        <div className="grid grid-cols-1 content-start gap-4 sm:gap-5">
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

const change = (percent: number | null, words: string) =>
  percent === null ? trendText(percent) : `${trendText(percent)} ${words}`;

const notes = ({ trends, pendingOrders, lowStockItems }: AdminStats) => ({
  revenue: change(trends.revenue, 'from last month'),
  orders: `${formatCount(pendingOrders)} pending`,
  products: `${formatCount(lowStockItems)} low stock`,
  users: change(trends.users, 'growth'),
});

const statistics = [
  ['Pending Orders', 'pendingOrders'],
  ['Active Products', 'activeProducts'],
  ['Low Stock Items', 'lowStockItems'],
  ['Active Users', 'activeUsers'],
] as const;

function SystemStatistics() {
  const { data: stats } = useStats();
  return (
    <Section heading="h3" title="System Statistics">
      <dl className="grid divide-y divide-line">
        {statistics.map(([label, name]) => (
          <div key={name} className="flex justify-between gap-4 py-2 first:pt-0 last:pb-0">
            <dt className="text-muted">{label}</dt>
            <dd className="tabular font-semibold">{stats ? formatCount(stats[name]) : '–'}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function QuickActions() {
  const { goTo, set } = useDashboardUrl();
  const actions = [
    [PackagePlus, 'Add Product', () => goTo('digital', { dialog: 'add' })],
    [ShoppingCart, 'View Orders', () => goTo('orders')],
    [Users, 'Manage Users', () => goTo('users')],
    [FileSpreadsheet, 'Generate Report', () => set({ dialog: 'report' })],
    [DoorClosed, 'Close the Shop', () => set({ dialog: 'close' })],
  ] as const;
  return (
    <Section heading="h3" title="Quick Actions" className="print:hidden">
      <div className="grid grid-cols-2 gap-2">
        {actions.map(([Icon, label, run]) => (
          <Button key={label} variant="secondary" className="flex-col py-3 text-sm last:odd:col-span-2" onClick={run}>
            <Icon aria-hidden className="size-5 text-accent-ink" />
            {label}
          </Button>
        ))}
      </div>
      <CloseShopDialog />
    </Section>
  );
}

const HINT = 'For administrators only, kept in the audit log';

function ClosedShop() {
  const { data: closed } = useAdminData(['closed'], () => call('GET /admin/shop/closed'));
  return closed && <Closed closed={closed} />;
}

type Closing = NonNullable<OutputOf<Api['GET /admin/shop/closed']>['data']>;

function Closed({ closed }: { closed: Closing }) {
  const [isOpening, setIsOpening] = useState(false);
  return (
    <Section heading="h3" title="The shop is closed">
      <p>
        No new payments since <Moment at={closed.since} />: <span className="wrap-anywhere">{closed.reason}</span>
      </p>
      <p className="text-muted wrap-anywhere">Buyers read: {closed.message}</p>
      <Button className="justify-self-start" onClick={() => setIsOpening(true)}>
        Open the Shop
      </Button>
      <ActionDialog
        title="Open the Shop"
        about="shop"
        isOpen={isOpening}
        danger={false}
        send={(reason) => call('POST /admin/shop/open', { body: { reason } })}
        successMessage="The shop takes payments"
        errorMessage="The shop could not be opened"
        onClose={() => setIsOpening(false)}
        hint={HINT}>
        <p>Buyers can pay again at once.</p>
      </ActionDialog>
    </Section>
  );
}

function CloseShopDialog() {
  const { get, set } = useDashboardUrl();
  const [message, setMessage] = useKeptState(useKeepAs('closed text', 'shop'), '');
  function close() {
    setMessage('');
    set({ dialog: '' });
  }
  return (
    <ActionDialog
      title="Close the Shop"
      about="shop"
      isOpen={get('dialog') === 'close'}
      send={(reason) => call('POST /admin/shop/close', { body: { reason, ...(message.trim() && { message }) } })}
      successMessage="The shop takes no new payments"
      errorMessage="The shop could not be closed"
      onClose={close}
      isFilled={message.trim() !== ''}
      hint={HINT}>
      <p>No new payment can begin. Paid orders are still delivered, and buyers still see the shop and their orders.</p>
      <Field
        label="Text for buyers (optional)"
        maxLength={maxLengthOf(closedText)}
        hint={`Otherwise: ${DEFAULT_CLOSED_MESSAGE}`}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
    </ActionDialog>
  );
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
