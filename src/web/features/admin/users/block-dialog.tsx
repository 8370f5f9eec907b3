import { call } from '../../../lib/api-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ActionForm } from '../action-form.tsx';
import { ReasonForm } from '../reason-form.tsx';
import { useAction } from '../use-action.ts';
import type { UserDialogProps } from './user-actions.tsx';

export function BlockDialog(props: UserDialogProps) {
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
