import { LayoutDashboard, ReceiptText } from 'lucide-react';
import type { User } from '../../../../shared/accounts.ts';
import { initialOf } from '../../../../shared/format.ts';
import { useTitle } from '../../../lib/page.ts';
import { useEmailVerification } from '../../../state/account-status.ts';
import { useSession } from '../../../state/session.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Badge, Card, Initial, Skeleton } from '../../../ui/display.tsx';
import { VerifyEmail } from '../../../ui/form-page.tsx';
import { DetailsCard } from './details-card.tsx';
import { DevicesCard, PasswordCard } from './profile-cards.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

export function ProfileScreen() {
  const { user } = useSession();
  useTitle('My Profile');
  return (
    <div className="mx-auto grid w-full max-w-reading grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      {user ? (
        <>
          <ProfileHeader user={user} />
          <DetailsCard user={user} />
          <TwoFactorCard />
          <PasswordCard user={user} />
          <DevicesCard />
        </>
      ) : (
        <Skeleton className="h-80" />
      )}
    </div>
  );
}

function ProfileHeader({ user }: { user: User }) {
  const { name, email, role } = user;
  const verification = useEmailVerification();
  const isAdmin = role === 'admin';
  return (
    <Card className="grid grid-cols-1 gap-6 p-6 sm:p-8">
      <div className="flex flex-wrap items-center gap-5">
        <Initial className="size-16 text-2xl">{initialOf(name || email)}</Initial>
        <div className="grid min-w-0 gap-1">
          <h1 className="text-2xl wrap-anywhere">{name || email}</h1>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
            <span className="wrap-anywhere">{email}</span>
            <Badge tone="accent">{isAdmin ? 'Admin' : 'Customer'}</Badge>
          </p>
        </div>
      </div>
      {verification && <VerifyEmail {...verification} />}
      <div className="flex flex-wrap gap-3">
        <ButtonLink icon={ReceiptText} to="/orders" variant="secondary">
          My Orders
        </ButtonLink>
        {isAdmin && (
          <ButtonLink icon={LayoutDashboard} to="/admin">
            Admin Dashboard
          </ButtonLink>
        )}
      </div>
    </Card>
  );
}
