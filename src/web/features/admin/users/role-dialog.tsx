import { useNavigate } from 'react-router';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../../shared/passwords.ts';
import { call } from '../../../lib/api-client.ts';
import { useSession } from '../../../state/session.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ActionForm } from '../action-form.tsx';
import { useAction } from '../use-action.ts';
import type { UserDialogProps } from './user-actions.tsx';

const titleOf = ({ user }: UserDialogProps) =>
  user.role === 'admin' ? 'Remove administrator' : 'Make administrator';

export function RoleDialog(props: UserDialogProps) {
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
