import { Ban, LockOpen, ShieldCheck, ShieldMinus } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AdminUser } from '../../../../shared/admin.ts';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../../shared/passwords.ts';
import { call } from '../../../lib/api-client.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { ActionDialog } from '../action-form.tsx';

/** Changes of a user's role and access. Administrators cannot block themselves. */
export function UserActions({ user }: { user: AdminUser }) {
  const { user: own } = useSession();
  const [opened, setOpened] = useState<'role' | 'block'>();
  const isOwn = own?._id === user._id;
  const [RoleIcon, BlockIcon] = [user.role === 'admin' ? ShieldMinus : ShieldCheck, user.blockedAt ? LockOpen : Ban];
  const close = () => setOpened(undefined);
  return (
    <div className="flex flex-wrap gap-3">
      <Button variant="secondary" onClick={() => setOpened('role')}>
        <RoleIcon aria-hidden className="size-5" />
        {roleTitle(user)}
      </Button>
      {!isOwn && (
        <Button variant={user.blockedAt ? 'secondary' : 'danger'} onClick={() => setOpened('block')}>
          <BlockIcon aria-hidden className="size-5" />
          {user.blockedAt ? 'Unblock' : 'Block'}
        </Button>
      )}
      <RoleDialog user={user} isOwn={isOwn} isOpen={opened === 'role'} onClose={close} />
      <BlockDialog user={user} isOpen={opened === 'block'} onClose={close} />
    </div>
  );
}

const FAILED = 'The user could not be changed';

interface UserDialogProps {
  user: AdminUser;
  isOpen: boolean;
  onClose(): void;
}

function BlockDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { _id: id, name, email, blockedAt } = user;
  const params = { id };
  const isBlocked = blockedAt !== null;
  return (
    <ActionDialog
      title={isBlocked ? 'Unblock user' : 'Block user'}
      danger={!isBlocked}
      asksReason={!isBlocked}
      hint="For administrators only"
      send={(reason) =>
        call('PUT /admin/users/:id/block', { params, body: isBlocked ? { blocked: false } : { blocked: true, reason } })
      }
      successMessage={isBlocked ? `${name} may sign in again` : `${name} is blocked`}
      errorMessage={FAILED}
      isOpen={isOpen}
      onClose={onClose}>
      <p className="wrap-anywhere">
        <strong>{name}</strong> ({email}){' '}
        {isBlocked
          ? 'may sign in again with the password they had.'
          : 'is signed out everywhere and cannot sign in again. What they have paid for stays within their reach by the code mailed from Find My Order.'}
      </p>
    </ActionDialog>
  );
}

const roleTitle = ({ role }: AdminUser) => (role === 'admin' ? 'Remove administrator' : 'Make administrator');

function RoleDialog({ user, isOwn, isOpen, onClose }: UserDialogProps & { isOwn: boolean }) {
  const { signOut } = useSession();
  const navigate = useNavigate();
  const { _id: id, name, email } = user;
  const isAdmin = user.role === 'admin';

  // The change ends the session of this browser.
  async function leave() {
    await signOut();
    await navigate('/login');
  }

  return (
    <ActionDialog
      title={roleTitle(user)}
      danger={isAdmin}
      asksReason={false}
      send={() => call('PUT /admin/users/:id/role', { params: { id }, body: { role: isAdmin ? 'customer' : 'admin' } })}
      successMessage={isAdmin ? `${name} is no longer an administrator` : `${name} is now an administrator`}
      errorMessage={FAILED}
      leave={isOwn ? leave : undefined}
      isOpen={isOpen}
      onClose={onClose}>
      {!isAdmin && (
        <>
          <p className="wrap-anywhere">
            <strong>{name}</strong> ({email}) will see every order and user, change products, refund money and make
            other administrators.
          </p>
          <p className="text-sm text-muted">
            They are signed out everywhere. If their password has fewer than {ADMIN_PASSWORD_MIN_LENGTH} characters,
            they are asked for a new one when they sign in. Please have them turn on two-factor authentication.
          </p>
        </>
      )}
      {isAdmin && isOwn && (
        <p>
          <strong>This is your own account.</strong> You will be signed out and can no longer open the dashboard. Only
          another administrator can take that back.
        </p>
      )}
      {isAdmin && !isOwn && (
        <p className="wrap-anywhere">
          <strong>{name}</strong> ({email}) can no longer open the dashboard, and is signed out everywhere. The account
          stays as a customer’s.
        </p>
      )}
    </ActionDialog>
  );
}
