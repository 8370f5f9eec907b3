import { Mail, MapPin, Phone } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import type { AdminUser } from '../../../../shared/admin.ts';
import { formatDay } from '../../../../shared/dates.ts';
import { formatCount } from '../../../../shared/figures.ts';
import { Card } from '../../../ui/card.tsx';
import { Initial, UserBadges, wholeDollars } from './user-parts.tsx';

/** A user in the list; all of it leads to their page. */
export function UserCard({ user }: { user: AdminUser }) {
  const { _id, name, email, phone, address, createdAt, orderCount, totalSpent } = user;
  const { search } = useLocation();
  const place = [address.city, address.state].filter(Boolean).join(', ');
  return (
    <Card
      role="article"
      aria-labelledby={`user-${_id}`}
      className="relative grid grid-cols-1 content-between gap-4 p-5 transition-shadow hover:shadow-lift"
    >
      <div className="grid gap-4">
        <div className="flex items-center gap-4">
          <Initial name={name} />
          <div className="grid min-w-0 gap-1.5">
            <h3 id={`user-${_id}`} className="text-lg wrap-anywhere">
              <Link
                to={`/admin/users/${_id}`}
                state={{ from: search }}
                className="rounded-sm after:absolute after:inset-0 after:rounded-lg"
              >
                {name || email}
              </Link>
            </h3>
            <p className="flex flex-wrap gap-2">
              <UserBadges user={user} />
            </p>
          </div>
        </div>
        <ul className="grid gap-1.5 text-sm text-muted [&>li]:flex [&>li]:items-start [&>li]:gap-2.5 [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0">
          <li>
            <Mail aria-hidden />
            <span className="min-w-0 wrap-anywhere">{email}</span>
          </li>
          {phone && (
            <li>
              <Phone aria-hidden />
              <span className="min-w-0 wrap-anywhere">{phone}</span>
            </li>
          )}
          {place && (
            <li>
              <MapPin aria-hidden />
              <span className="min-w-0 wrap-anywhere">{place}</span>
            </li>
          )}
        </ul>
      </div>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 border-t border-line pt-4 text-sm">
        <p className="text-muted">
          Joined <time dateTime={createdAt}>{formatDay(createdAt)}</time>
        </p>
        <dl className="tabular flex gap-6 text-right">
          <div>
            <dt className="text-muted">Orders</dt>
            <dd className="font-bold">{formatCount(orderCount)}</dd>
          </div>
          <div>
            <dt className="text-muted">Spent</dt>
            <dd className="font-bold">{wholeDollars(totalSpent)}</dd>
          </div>
        </dl>
      </div>
    </Card>
  );
}
