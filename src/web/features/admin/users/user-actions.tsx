import { Ban, LockOpen, ShieldCheck, ShieldMinus } from 'lucide-react';
import { useState } from 'react';
import type { AdminUser } from '../../../../shared/admin.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { BlockDialog } from './block-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

export interface UserDialogProps {
  user: AdminUser;
  /** It is the administrator's own account. */
  isOwn: boolean;
  isOpen: boolean;
  onClose(): void;
}

/** What may be done to a user. Nobody blocks themselves. */
export function UserActions({ user }: { user: AdminUser }) {
  const { user: own } = useSession();
  const [asked, setAsked] = useState<'role' | 'block'>();
  const isAdmin = user.role === 'admin';
  const isOwn = own?._id === user._id;
  const dialog = { user, isOwn, onClose: () => setAsked(undefined) };
  return (
    <div className="flex flex-wrap gap-3">
      <Button variant="secondary" onClick={() => setAsked('role')}>
        {isAdmin ? (
          <ShieldMinus aria-hidden className="size-5" />
        ) : (
          <ShieldCheck aria-hidden className="size-5" />
        )}
        {isAdmin ? 'Remove administrator' : 'Make administrator'}
      </Button>
      {!isOwn && (
        <Button variant={user.blockedAt ? 'secondary' : 'danger'} onClick={() => setAsked('block')}>
          {user.blockedAt ? (
            <LockOpen aria-hidden className="size-5" />
          ) : (
            <Ban aria-hidden className="size-5" />
          )}
          {user.blockedAt ? 'Unblock' : 'Block'}
        </Button>
      )}
      <RoleDialog {...dialog} isOpen={asked === 'role'} />
      <BlockDialog {...dialog} isOpen={asked === 'block'} />
    </div>
  );
}
