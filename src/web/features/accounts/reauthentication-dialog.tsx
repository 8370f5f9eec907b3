import { type FormEvent, useState } from 'react';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { passwordLimit } from '../../lib/form-fields.ts';
import { useTwoFactorStatus } from '../../state/account-status.ts';
import { useSession } from '../../state/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/text-fields.tsx';
import type { ReauthenticationDialogProps } from './reauthentication.tsx';

/** Asks for the password again, or for a code if two-factor is on. */
export function ReauthenticationDialog({ isOpen, onConfirmed, onCancel }: ReauthenticationDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onCancel} title="Confirm it is you">
      {isOpen && <ProofForm onConfirmed={onConfirmed} onCancel={onCancel} />}
    </Dialog>
  );
}

// The dialog opens after this renders, and the browser then looks for the attribute.
function takesFocus(input: HTMLInputElement | null) {
  input?.setAttribute('autofocus', '');
  input?.focus();
}

function ProofForm({ onConfirmed, onCancel }: Omit<ReauthenticationDialogProps, 'isOpen'>) {
  const { user } = useSession();
  const canUseCode = useTwoFactorStatus().data?.enabled === true;
  const [isByCode, setIsByCode] = useState(false);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setIsSending] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isSending) return;
    if (typed.trim() === '') return setProblem(isByCode ? 'Please enter a code' : 'Please enter your password');
    setProblem(undefined);
    setIsSending(true);
    try {
      await call('POST /auth/reauthenticate', { body: isByCode ? { code: typed.trim() } : { password: typed } });
      onConfirmed();
    } catch (failure) {
      // The session has ended; the screen below says so.
      if (failure instanceof CallError && failure.code === 'UNAUTHENTICATED') return onCancel();
      setProblem(messageOf(failure, 'That could not be checked. Please try again.'));
      if (isByCode) setTyped('');
    } finally {
      setIsSending(false);
    }
  }

  function switchProof() {
    setIsByCode(!isByCode);
    setTyped('');
    setProblem(undefined);
  }

  const field = {
    ref: takesFocus,
    required: true,
    value: typed,
    // A late key must not end up in the emptied field.
    readOnly: isSending,
    onChange: ({ target }: { target: HTMLInputElement }) => setTyped(target.value),
    error: problem,
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
      <p>
        You signed in a while ago. To keep your account safe, please enter your {isByCode ? 'code' : 'password'} once
        more before this is changed.
      </p>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      {isByCode ? (
        <Field
          key="code"
          {...field}
          label="Code"
          hint="From your authenticator app, or one of your backup codes."
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
        />
      ) : (
        <PasswordField key="password" {...field} {...passwordLimit} label="Password" autoComplete="current-password" />
      )}
      {canUseCode && (
        <button
          type="button"
          className="min-h-11 justify-self-start text-sm font-semibold text-accent-ink underline"
          onClick={switchProof}>
          {isByCode ? 'Use your password' : 'Use a code instead'}
        </button>
      )}
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          Confirm
        </Button>
      </div>
    </form>
  );
}
