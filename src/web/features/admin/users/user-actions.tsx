import { Ban, LockOpen, ShieldCheck, ShieldMinus } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AdminUser } from '../../../../shared/admin.ts';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../../shared/passwords.ts';
import { call } from '../../../lib/api-client.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ActionForm, ReasonForm, useAction } from '../action-form.tsx';

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

function BlockDialog(props: UserDialogProps) {
  const { user, isOpen, onClose } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={user.blockedAt ? 'Unblock user' : 'Block user'}>
      {isOpen && (user.blockedAt ? <UnblockForm {...props} /> : <BlockForm {...props} />)}
    </Dialog>
  );
}

const FAILED = 'The user could not be changed';

function BlockForm({ user, onClose }: UserDialogProps) {
  return (
    <ReasonForm
      action="Block user"
      said={`${user.name} is blocked`}
      fallback={FAILED}
      send={(reason) =>
        call('PUT /admin/users/:id/block', { params: { id: user._id }, body: { blocked: true, reason } })
      }
      onDone={onClose}
      onCancel={onClose}
      hint="For administrators only"
    >
      <p className="wrap-anywhere">
        <strong>{user.name}</strong> ({user.email}) is signed out everywhere and cannot sign in again. What
        they have paid for stays within their reach by the code mailed from Find My Order.
      </p>
    </ReasonForm>
  );
}

function UnblockForm({ user, onClose }: UserDialogProps) {
  const { run, isBusy, problem } = useAction({
    send: () => call('PUT /admin/users/:id/block', { params: { id: user._id }, body: { blocked: false } }),
    said: `${user.name} may sign in again`,
    fallback: FAILED,
    onDone: onClose,
  });
  return (
    <ActionForm action="Unblock user" isBusy={isBusy} problem={problem} onSubmit={run} onCancel={onClose}>
      <p className="wrap-anywhere">
        <strong>{user.name}</strong> ({user.email}) may sign in again with the password they had.
      </p>
    </ActionForm>
  );
}

const titleOf = ({ user }: UserDialogProps) =>
  user.role === 'admin' ? 'Remove administrator' : 'Make administrator';

function RoleDialog(props: UserDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={titleOf(props)}>
      {props.isOpen && <RoleForm {...props} />}
    </Dialog>
  );
}

function RoleForm(props: UserDialogProps) {
  const { user, isOwn, onClose } = props;
  const isAdmin = user.role === 'admin';
  const { signOut } = useSession();
  const navigate = useNavigate();

  // It ends this browser's own session.
  async function leave() {
    await signOut();
    await navigate('/login');
  }

  const { run, isBusy, problem } = useAction({
    send: () =>
      call('PUT /admin/users/:id/role', {
        params: { id: user._id },
        body: { role: isAdmin ? 'customer' : 'admin' },
      }),
    said: isAdmin ? `${user.name} is no longer an administrator` : `${user.name} is now an administrator`,
    fallback: 'The user could not be changed',
    leave: isOwn ? leave : undefined,
    onDone: onClose,
  });
  return (
    <ActionForm
      action={titleOf(props)}
      danger={isAdmin}
      isBusy={isBusy}
      problem={problem}
      onSubmit={run}
      onCancel={onClose}
    >
      {!isAdmin && (
        <>
          <p className="wrap-anywhere">
            <strong>{user.name}</strong> ({user.email}) will see every order and user, change products, refund
            money and make other administrators.
          </p>
          <p className="text-sm text-muted">
            They are signed out everywhere. If their password has fewer than {ADMIN_PASSWORD_MIN_LENGTH}{' '}
            characters, they are asked for a new one when they sign in. Please have them turn on two-factor
            authentication.
          </p>
        </>
      )}
      {isAdmin && isOwn && (
        <p>
          <strong>This is your own account.</strong> You will be signed out and can no longer open the
          dashboard. Only another administrator can take that back.
        </p>
      )}
      {isAdmin && !isOwn && (
        <p className="wrap-anywhere">
          <strong>{user.name}</strong> ({user.email}) can no longer open the dashboard, and is signed out
          everywhere. The account stays as a customer’s.
        </p>
      )}
    </ActionForm>
  );
}
