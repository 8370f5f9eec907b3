import { useState } from 'react';
import { call } from '../../../lib/api-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ActionForm, REASON_MISSING, ReasonField } from '../orders/action-form.tsx';
import { useUserAction } from './use-user-action.ts';
import type { UserDialogProps } from './user-actions.tsx';

export function BlockDialog(props: UserDialogProps) {
  const { user, isOpen, onClose } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={user.blockedAt ? 'Unblock user' : 'Block user'}>
      {isOpen && (user.blockedAt ? <UnblockForm {...props} /> : <BlockForm {...props} />)}
    </Dialog>
  );
}

function BlockForm({ user, onClose }: UserDialogProps) {
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isMissing = reason.trim() === '';
  const { run, isBusy, problem } = useUserAction({
    send: () => call('updateBlock', { params: { id: user._id }, body: { blocked: true, reason } }),
    said: `${user.name} is blocked`,
    onDone: onClose,
  });

  function submit() {
    setIsChecked(true);
    if (!isMissing) run();
  }

  return (
    <ActionForm
      action="Block user"
      danger
      isBusy={isBusy}
      problem={problem}
      onSubmit={submit}
      onCancel={onClose}
    >
      <p className="wrap-anywhere">
        <strong>{user.name}</strong> ({user.email}) is signed out everywhere and cannot sign in again. What
        they have paid for stays within their reach by the code mailed from Find My Order.
      </p>
      <ReasonField
        first
        value={reason}
        onChange={setReason}
        hint="For administrators only"
        error={isChecked && isMissing ? REASON_MISSING : undefined}
      />
    </ActionForm>
  );
}

function UnblockForm({ user, onClose }: UserDialogProps) {
  const { run, isBusy, problem } = useUserAction({
    send: () => call('updateBlock', { params: { id: user._id }, body: { blocked: false } }),
    said: `${user.name} may sign in again`,
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
