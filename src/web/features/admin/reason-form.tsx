import { type ReactNode, useState } from 'react';
import { ActionForm, REASON_MISSING, ReasonField } from './action-form.tsx';
import { useAction } from './use-action.ts';

interface ReasonFormProps {
  action: string;
  said: string;
  fallback: string;
  send(reason: string): Promise<unknown>;
  onDone(): void;
  onCancel(): void;
  hint?: string;
  /** What will happen. */
  children: ReactNode;
}

/** Confirms what cannot be taken back, and asks why. */
export function ReasonForm(props: ReasonFormProps) {
  const { action, said, fallback, send, onDone, onCancel, hint, children } = props;
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isMissing = reason.trim() === '';
  const { run, isBusy, problem } = useAction({ send: () => send(reason), said, fallback, onDone });

  function submit() {
    setIsChecked(true);
    if (!isMissing) run();
  }

  return (
    <ActionForm
      action={action}
      danger
      isBusy={isBusy}
      problem={problem}
      onSubmit={submit}
      onCancel={onCancel}
      isFilled={!isMissing}
    >
      {children}
      <ReasonField
        first
        hint={hint}
        value={reason}
        onChange={setReason}
        error={isChecked && isMissing ? REASON_MISSING : undefined}
      />
    </ActionForm>
  );
}
