import { ShieldAlert, ShieldCheck, UserX } from 'lucide-react';
import { Link, useParams } from 'react-router';
import type { AdminUserPage } from '../../../../shared/admin.ts';
import { formatAddress, formatCount, formatDay } from '../../../../shared/format.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { call } from '../../../lib/api-client.ts';
import { describeDevice } from '../../../lib/describe-device.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { useListPath } from '../dashboard-url.ts';
import { dollars, Fact, Moment, Section } from '../figures.tsx';
import { OrderStatus, OrderTotal, OrderType } from '../orders/order-parts.tsx';
import { UserActions } from './user-actions.tsx';
import { Initial, UserBadges } from './users-tab.tsx';

export function AdminUserScreen() {
  const { id = '' } = useParams();
  const list = useListPath('users');
  return (
    <AdminPage title="User" back={list}>
      <AdminUser key={id} id={id} list={list} />
    </AdminPage>
  );
}

function AdminUser({ id, list }: { id: string; list: string }) {
  const user = useAdminData(['user', id], async () => (await call('GET /admin/users/:id', { params: { id } })).data);
  return (
    <QueryState what="user" icon={UserX} query={user} list={list}>
      {(data) => <UserDetails user={data} />}
    </QueryState>
  );
}

interface UserDetailsProps {
  user: AdminUserPage;
}

function UserDetails({ user }: UserDetailsProps) {
  const { name, email, emailVerified, blockedAt, blockReason } = user;
  return (
    <>
      <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
        <div className="flex items-center gap-4">
          <Initial name={name} />
          <div className="grid min-w-0 gap-1.5">
            <h2 className="text-xl wrap-anywhere">{name || email}</h2>
            <p className="flex flex-wrap items-center gap-2">
              <UserBadges user={user} />
              {!emailVerified && <Badge tone="warning">Email not confirmed</Badge>}
            </p>
          </div>
        </div>
        {blockedAt && (
          <p className="rounded-md bg-danger-soft px-4 py-3 text-danger wrap-anywhere">
            Blocked since <Moment at={blockedAt} />: {blockReason}
          </p>
        )}
        <UserActions user={user} />
      </Card>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <UserOrders user={user} />
        <div className="grid grid-cols-1 gap-6">
          <UserFacts user={user} />
          <TwoFactor user={user} />
          <Sessions user={user} />
        </div>
      </div>
    </>
  );
}

function UserOrders({ user: { email, orders, orderCount } }: UserDetailsProps) {
  return (
    <Section title="Orders">
      {orders.length === 0 && <p className="text-sm text-muted">No orders yet</p>}
      <ul className="grid divide-y divide-line empty:hidden">
        {orders.map((order) => (
          <li key={order._id} className="relative flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
              <Link
                to={`/admin/orders/${order._id}`}
                className="tabular rounded-sm font-semibold text-accent-ink underline after:absolute after:inset-0">
                #{orderNumber(order._id)}
              </Link>
              <OrderType type={order.orderType} />
              <OrderStatus order={order} />
              <Moment at={order.createdAt} className="text-sm text-muted" />
            </div>
            <OrderTotal amount={order.totalPrice} />
          </li>
        ))}
      </ul>
      {orderCount > orders.length && (
        <Link
          to={`/admin?tab=orders&q=${encodeURIComponent(email)}`}
          className="justify-self-start text-sm font-semibold text-accent-ink underline">
          All orders with this email
        </Link>
      )}
    </Section>
  );
}

function UserFacts({ user: { email, phone, address, createdAt, orderCount, totalSpent } }: UserDetailsProps) {
  // A form fills in the country by itself.
  const hasAddress = address.street || address.city || address.state || address.zipCode;
  return (
    <Section title="Details">
      <dl className="grid gap-3 text-sm">
        <Fact label="Email">{email}</Fact>
        {phone && <Fact label="Phone">{phone}</Fact>}
        {hasAddress && <Fact label="Address">{formatAddress(address)}</Fact>}
        <Fact label="Joined">
          <time dateTime={createdAt}>{formatDay(createdAt)}</time>
        </Fact>
      </dl>
      <dl className="tabular grid grid-cols-2 gap-3 text-sm">
        <Fact label="Orders">{formatCount(orderCount)}</Fact>
        <Fact label="Spent">{dollars(totalSpent)}</Fact>
      </dl>
    </Section>
  );
}

const backupCodes = { sufficient: 'Enough backup codes', low: 'Few backup codes left', none: 'No backup codes left' };

function TwoFactor({ user: { twoFactor, role } }: UserDetailsProps) {
  const { enabled, backupCodesStatus } = twoFactor;
  const Icon = enabled ? ShieldCheck : ShieldAlert;
  const isMissed = !enabled && role === 'admin';
  return (
    <Section title="Two-factor authentication">
      <p className="flex items-start gap-3 text-sm">
        <Icon
          aria-hidden
          className={classNames('size-5 shrink-0', enabled && 'text-success', isMissed && 'text-warning')}
        />
        {enabled ? `On. ${backupCodes[backupCodesStatus]}.` : 'Off.'}
        {isMissed && ' Every administrator should turn it on.'}
      </p>
    </Section>
  );
}

function Sessions({ user: { sessions } }: UserDetailsProps) {
  return (
    <Section title="Signed-in devices">
      {sessions.length === 0 && <p className="text-sm text-muted">Not signed in anywhere</p>}
      <ul className="grid gap-3 text-sm empty:hidden">
        {sessions.map(({ id, userAgent, ip, lastSeenAt, current }) => (
          <li key={id} className="grid gap-0.5">
            <p className="flex flex-wrap items-center gap-2 font-semibold">
              {describeDevice(userAgent)}
              {current && <Badge tone="success">This device</Badge>}
            </p>
            <p className="text-muted wrap-anywhere">
              Last seen <Moment at={lastSeenAt} /> from {ip}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
