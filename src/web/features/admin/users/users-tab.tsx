import { Mail, MapPin, Phone, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminUser } from '../../../../shared/admin.ts';
import { formatCount, initialOf, plural } from '../../../../shared/format.ts';
import { Day } from '../../../lib/moment.tsx';
import { Badge, Card, Initial } from '../../../ui/display.tsx';
import { CardLink, ListHeading, SearchedList, useSearchedList } from '../admin-list.tsx';

const searched = ({ name, email }: AdminUser) => [name, email];

export function UsersTab() {
  const list = useSearchedList('GET /admin/users', {}, searched);
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading
        title="User Management"
        list={list}
        of="users"
        count={`${list.total} ${plural(list.lastPage?.total ?? 0, 'user')} registered`}
      />
      <p className="max-w-reading text-sm text-muted">
        To let a colleague open the dashboard, open their account here. If they have none yet, create it on the server
        with the command <code className="font-mono">admin:create</code>.
      </p>
      <SearchedList
        list={list}
        of="users"
        placeholder="Name or email"
        icon={Users}
        whenEmpty="Users will appear here once they register">
        <ul
          aria-label="Users"
          aria-busy={list.isRefreshing}
          className="grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-4">
          {list.entries.map((user) => (
            <li key={user._id} className="grid">
              <UserCard user={user} />
            </li>
          ))}
        </ul>
      </SearchedList>
    </div>
  );
}

function UserCard({ user }: { user: AdminUser }) {
  const { _id, name, email, phone, address, createdAt, orderCount, totalSpent } = user;
  const contacts = [
    [Mail, email],
    [Phone, phone],
    [MapPin, [address.city, address.state].filter(Boolean).join(', ')],
  ] as const;
  return (
    <Card
      role="article"
      aria-labelledby={`user-${_id}`}
      className="relative grid grid-cols-1 content-between gap-4 p-5 transition-shadow hover:shadow-lift">
      <div className="grid gap-4">
        <UserName user={user}>
          <h3 id={`user-${_id}`} className="text-lg wrap-anywhere">
            <CardLink to={`/admin/users/${_id}`}>{name || email}</CardLink>
          </h3>
        </UserName>
        <ul className="grid gap-1.5 text-sm text-muted">
          {contacts.map(
            ([Icon, text]) =>
              text && (
                <li key={text} className="flex items-start gap-2.5">
                  <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
                  <span className="min-w-0 wrap-anywhere">{text}</span>
                </li>
              ),
          )}
        </ul>
      </div>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 border-t border-line pt-4 text-sm">
        <p className="text-muted">
          Joined <Day at={createdAt} />
        </p>
        <dl className="tabular flex gap-6 text-right">
          <div>
            <dt className="text-muted">Orders</dt>
            <dd className="font-bold">{formatCount(orderCount)}</dd>
          </div>
          <div>
            <dt className="text-muted">Spent</dt>
            <dd className="font-bold">${formatCount(Math.round(totalSpent))}</dd>
          </div>
        </dl>
      </div>
    </Card>
  );
}

interface UserNameProps {
  user: AdminUser;
  badge?: ReactNode;
  children: ReactNode;
}

export function UserName({ user: { name, email, role, blockedAt }, badge, children }: UserNameProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Initial className="size-12 text-xl">{initialOf(name || email)}</Initial>
      <div className="grid min-w-0 flex-1 basis-[9rem] gap-1.5">
        {children}
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={role === 'admin' ? 'accent' : 'neutral'}>{role === 'admin' ? 'Admin' : 'Customer'}</Badge>
          {blockedAt && <Badge tone="danger">Blocked</Badge>}
          {badge}
        </p>
      </div>
    </div>
  );
}
