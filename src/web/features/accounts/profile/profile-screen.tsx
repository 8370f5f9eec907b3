import { useTitle } from '../../../lib/use-title.ts';
import { RequireSession } from '../../../state/require-session.tsx';
import { useSession } from '../../../state/session.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { DetailsCard } from './details-card.tsx';
import { DevicesCard } from './devices-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileHeader } from './profile-header.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

export function ProfileScreen() {
  useTitle('My Profile');
  return (
    <RequireSession>
      <div className="mx-auto grid w-full max-w-reading gap-6 px-4 py-8 sm:px-6">
        <Profile />
      </div>
    </RequireSession>
  );
}

function Profile() {
  const { user } = useSession();
  if (user === null) return <Skeleton className="h-80" />;
  return (
    <>
      <ProfileHeader user={user} />
      <DetailsCard user={user} />
      <TwoFactorCard />
      <PasswordCard user={user} />
      <DevicesCard />
    </>
  );
}
