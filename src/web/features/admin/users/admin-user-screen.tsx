import { LockOpen, ShieldAlert, ShieldCheck, ShieldMinus, UserLock, UserX } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AdminUserPage } from '../../../../shared/admin.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import { formatAddress, formatCount, isolated, orderNumber } from '../../../../shared/format.ts';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../../shared/passwords.ts';
import { call } from '../../../lib/api-client.ts';
import { describeDevice } from '../../../lib/describe-device.ts';
import { Day, Moment } from '../../../lib/moment.tsx';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { Badge, Callout, Card, classNames, Section } from '../../../ui/display.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import { EntryPage, Facts } from '../admin-page.tsx';
import { useAdminData } from '../dashboard.ts';
import { OrderHead } from '../orders/orders-tab.tsx';
import { UserName } from './users-tab.tsx';

const useUser = (id: string) => useAdminData(['user', id], () => call('GET /admin/users/:id', { params: { id } }));

export const AdminUserScreen = () => (
  <EntryPage what="user" icon={UserX} useEntry={useUser} titleOf={({ name, email }) => name || email}>
    {(user) => (
      <>
        <UserHead user={user} />
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <UserOrders user={user} />
          <UserFacts user={user} />
        </div>
      </>
    )}
  </EntryPage>
);

function UserHead({ user }: { user: AdminUserPage }) {
  const { name, email, emailVerified, blockedAt, blockReason } = user;
  return (
    <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <UserName user={user} badge={!emailVerified && <Badge tone="warning">Email not confirmed</Badge>}>
        <h2 className="text-xl wrap-anywhere">{name || email}</h2>
      </UserName>
      {blockedAt && (
        <Callout tone="danger" className="wrap-anywhere">
          Blocked since <Moment at={blockedAt} />: {blockReason}
        </Callout>
      )}
      <UserActions user={user} />
    </Card>
  );
}

function UserOrders({ user: { email, orders, orderCount } }: { user: AdminUserPage }) {
  return (
    <Section title="Orders">
      {orders.length === 0 && <p className="text-sm text-muted">No orders yet</p>}
      <ul className="grid divide-y divide-line empty:hidden">
        {orders.map((order) => (
          <li key={order._id} className="relative py-3">
            <OrderHead order={order}>
              <TextLink to={`/admin/orders/${order._id}`} className="tabular rounded-sm after:absolute after:inset-0">
                #{orderNumber(order._id)}
              </TextLink>
            </OrderHead>
          </li>
        ))}
      </ul>
      {orderCount > orders.length && (
        <TextLink to={`/admin?tab=orders&q=${encodeURIComponent(email)}`} className="justify-self-start text-sm">
          All orders with this email
        </TextLink>
      )}
    </Section>
  );
}

const backupCodes = { sufficient: 'Enough backup codes', low: 'Few backup codes left', none: 'No backup codes left' };

function UserFacts({ user }: { user: AdminUserPage }) {
  const { address, createdAt, twoFactor, sessions } = user;
  // The shop fills in a default country, so a country alone is not an address.
  const hasAddress = address.street || address.city || address.state || address.zipCode;
  const isMissed = !twoFactor.enabled && user.role === 'admin';
  const Icon = twoFactor.enabled ? ShieldCheck : ShieldAlert;
  return (
    <div className="grid grid-cols-1 gap-6">
      <Section title="Details">
        <Facts
          facts={{
            Email: user.email,
            Phone: user.phone,
            Address: hasAddress && formatAddress(address),
            Joined: <Day at={createdAt} />,
          }}
        />
        <Facts
          className="tabular grid-cols-2"
          facts={{ Orders: formatCount(user.orderCount), Spent: formatDollars(user.totalSpent) }}
        />
      </Section>
      <Section title="Two-factor authentication">
        <p className="flex items-start gap-3 text-sm">
          <Icon
            aria-hidden
            className={classNames('size-5 shrink-0', twoFactor.enabled && 'text-success', isMissed && 'text-warning')}
          />
          {twoFactor.enabled ? `On. ${backupCodes[twoFactor.backupCodesStatus]}.` : 'Off.'}
          {isMissed && ' Every administrator should turn it on.'}
        </p>
      </Section>
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
    </div>
  );
}

function UserActions({ user }: { user: AdminUserPage }) {
  const { user: own, signOut } = useSession();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<'role' | 'block'>();
  const name = user.name || user.email;
  const params = { id: user._id };
  const isOwn = own?._id === user._id;
  const isAdmin = user.role === 'admin';
  const isBlocked = user.blockedAt !== null;
  const roleTitle = isAdmin ? 'Remove administrator' : 'Make administrator';
  const dialog = (which: typeof opened) => ({
    isOpen: opened === which,
    onClose: () => setOpened(undefined),
    errorMessage: 'The user could not be changed',
  });

  // A change of the administrator's own role ends the session of this browser.
  async function leave() {
    await signOut();
    await navigate('/login');
  }

  return (
    <div className="flex flex-wrap gap-3">
      <Button icon={isAdmin ? ShieldMinus : ShieldCheck} variant="secondary" onClick={() => setOpened('role')}>
        {roleTitle}
      </Button>
      {!isOwn && (
        <Button
          icon={isBlocked ? LockOpen : UserLock}
          variant={isBlocked ? 'secondary' : 'danger'}
          onClick={() => setOpened('block')}>
          {isBlocked ? 'Unblock' : 'Block'}
        </Button>
      )}
      <ActionDialog
        {...dialog('role')}
        title={roleTitle}
        danger={isAdmin}
        asksReason={false}
        send={() => call('PUT /admin/users/:id/role', { params, body: { role: isAdmin ? 'customer' : 'admin' } })}
        successMessage={`${isolated(name)} is ${isAdmin ? 'no longer' : 'now'} an administrator`}
        leave={isOwn ? leave : undefined}>
        {isOwn && isAdmin ? (
          <p>
            <strong>This is your own account.</strong> You will be signed out and can no longer open the dashboard. Only
            another administrator can undo that.
          </p>
        ) : (
          <p className="wrap-anywhere">
            <NameAndEmail user={user} />{' '}
            {isAdmin
              ? 'can no longer open the dashboard, and is signed out everywhere. The account stays as a customer’s.'
              : 'will see every order and user, change products, refund money and make other administrators.'}
          </p>
        )}
        {!isAdmin && (
          <p className="text-sm text-muted">
            They are signed out everywhere. If their password has fewer than {ADMIN_PASSWORD_MIN_LENGTH} characters,
            they are asked for a new one when they sign in. Please have them turn on two-factor authentication.
          </p>
        )}
      </ActionDialog>
      <ActionDialog
        {...dialog('block')}
        title={isBlocked ? 'Unblock user' : 'Block user'}
        about={user._id}
        danger={!isBlocked}
        asksReason={!isBlocked}
        hint="For administrators only"
        send={(reason) => {
          const body = isBlocked ? { blocked: false } : { blocked: true, reason };
          return call('PUT /admin/users/:id/block', { params, body });
        }}
        successMessage={`${isolated(name)} ${isBlocked ? 'may sign in again' : 'is blocked'}`}>
        <p className="wrap-anywhere">
          <NameAndEmail user={user} />{' '}
          {isBlocked
            ? 'may sign in again with the password they had.'
            : 'is signed out everywhere and cannot sign in again. They can still open their paid orders with a code mailed by “Find my order”.'}
        </p>
      </ActionDialog>
    </div>
  );
}

const NameAndEmail = ({ user: { name, email } }: { user: AdminUserPage }) => (
  <>
    <strong>{isolated(name || email)}</strong>
    {name && ` (${email})`}
  </>
);
