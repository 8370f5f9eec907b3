import { Ban, LockOpen, ShieldCheck, ShieldMinus } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AdminUser } from '../../../../shared/admin.ts';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../../shared/passwords.ts';
import { call } from '../../../lib/api-client.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { ActionDialog } from '../action-dialog.tsx';

/** Changes of a user's role and access. Administrators cannot block themselves. */
export function UserActions({ user }: { user: AdminUser }) {
  const { user: own, signOut } = useSession();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<'role' | 'block'>();
  const { _id: id, name } = user;
  const isOwn = own?._id === id;
  const isAdmin = user.role === 'admin';
  const isBlocked = user.blockedAt !== null;
  const roleTitle = isAdmin ? 'Remove administrator' : 'Make administrator';
  const dialog = (which: typeof opened) => ({
    isOpen: opened === which,
    onClose: () => setOpened(undefined),
    errorMessage: 'The user could not be changed',
  });

  // A change of one's own role ends the session of this browser.
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
          icon={isBlocked ? LockOpen : Ban}
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
        send={() => {
          const body = { role: isAdmin ? 'customer' : 'admin' } as const;
          return call('PUT /admin/users/:id/role', { params: { id }, body });
        }}
        successMessage={isAdmin ? `${name} is no longer an administrator` : `${name} is now an administrator`}
        leave={isOwn ? leave : undefined}>
        {isOwn && isAdmin ? (
          <p>
            <strong>This is your own account.</strong> You will be signed out and can no longer open the dashboard. Only
            another administrator can take that back.
          </p>
        ) : (
          <p className="wrap-anywhere">
            <strong>{name}</strong> ({user.email}){' '}
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
        danger={!isBlocked}
        asksReason={!isBlocked}
        hint="For administrators only"
        send={(reason) => {
          const body = isBlocked ? { blocked: false } : { blocked: true, reason };
          return call('PUT /admin/users/:id/block', { params: { id }, body });
        }}
        successMessage={isBlocked ? `${name} may sign in again` : `${name} is blocked`}>
        <p className="wrap-anywhere">
          <strong>{name}</strong> ({user.email}){' '}
          {isBlocked
            ? 'may sign in again with the password they had.'
            : 'is signed out everywhere and cannot sign in again. What they have paid for stays within their reach by the code mailed from Find My Order.'}
        </p>
      </ActionDialog>
    </div>
  );
}
