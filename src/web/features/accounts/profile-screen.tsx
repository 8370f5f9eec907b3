import { ReceiptText } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useTitle } from '../../lib/use-title.ts';
import { RequireSession } from '../../state/require-session.tsx';
import { useSession } from '../../state/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';

export function ProfileScreen() {
  useTitle('My Profile');
  return (
    <RequireSession>
      <Profile />
    </RequireSession>
  );
}

function Profile() {
  const { user } = useSession();
  if (user === null) return null;
  const { name, email, phone, role } = user;
  const { street, city, state, zipCode, country } = user.address;
  return (
    <div className="mx-auto grid w-full max-w-reading gap-6 px-4 py-8 sm:px-6">
      <Card className="grid gap-6 p-6 sm:p-8">
        <div className="flex flex-wrap items-center gap-5">
          <span
            aria-hidden
            className="grid size-16 place-items-center rounded-full bg-accent-soft text-2xl font-bold text-accent-ink"
          >
            {name.charAt(0).toUpperCase()}
          </span>
          <div className="grid min-w-0 gap-1">
            <h1 className="text-2xl wrap-anywhere">{name}</h1>
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
              <span className="wrap-anywhere">{email}</span>
              <Badge tone="accent">{role === 'admin' ? 'Admin' : 'Customer'}</Badge>
            </p>
          </div>
        </div>
        <dl className="grid gap-4 border-t border-line pt-6 sm:grid-cols-2">
          <Entry label="Phone">{phone}</Entry>
          <Entry label="Street">{street}</Entry>
          <Entry label="City">{city}</Entry>
          <Entry label="State">{state}</Entry>
          <Entry label="Postcode">{zipCode}</Entry>
          <Entry label="Country">{country}</Entry>
        </dl>
        <Link to="/orders" className={buttonClass('secondary', 'md', 'justify-self-start')}>
          <ReceiptText aria-hidden className="size-5" />
          My Orders
        </Link>
      </Card>
    </div>
  );
}

function Entry({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="font-medium wrap-anywhere">{children || 'Not given'}</dd>
    </div>
  );
}
