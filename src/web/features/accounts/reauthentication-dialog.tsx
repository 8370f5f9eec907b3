import { useState } from 'react';
import * as z from 'zod/mini';
import { call, codeOf } from '../../lib/api-client.ts';
import { codeInput, passwordInput } from '../../lib/form-fields.ts';
import { useSendForm } from '../../lib/forms.ts';
import { useTwoFactorStatus } from '../../state/account-status.ts';
import { useSession } from '../../state/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form-page.tsx';
import { Field, PasswordField } from '../../ui/input.tsx';
import type { ReauthenticationDialogProps } from './reauthentication.tsx';

export function ReauthenticationDialog({ isOpen, onConfirmed, onCancel }: ReauthenticationDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onCancel} title="Confirm it is you">
      <Proofs onConfirmed={onConfirmed} onCancel={onCancel} />
    </Dialog>
  );
}

type Outcome = Omit<ReauthenticationDialogProps, 'isOpen'>;
type Proof = 'password' | 'code';

/** Always asks for the password first, because two-factor may have been switched off since the last time. */
function Proofs(outcome: Outcome) {
  const [by, setBy] = useState<Proof>('password');
  return <ProofForm key={by} by={by} onSwitch={setBy} {...outcome} />;
}

const missing = { password: 'Please enter your password', code: 'Please enter a code' };

function ProofForm({ by, onSwitch, onConfirmed, onCancel }: Outcome & { by: Proof; onSwitch(by: Proof): void }) {
  const { user } = useSession();
  const canUseCode = useTwoFactorStatus().data?.enabled === true;
  const isByCode = by === 'code';
  const { fieldOf, setValue, form } = useSendForm({
    schema: z.object({ proof: z.string().check(z.refine((typed) => typed.trim() !== '', missing[by])) }),
    defaultValues: { proof: '' },
    mode: 'onSubmit',
    send: async ({ proof }) => {
      await call('POST /auth/reauthenticate', { body: isByCode ? { code: proof.trim() } : { password: proof } });
      onConfirmed();
    },
    fieldFor: () => 'proof',
    errorMessage: 'Your answer could not be checked. Please try again.',
    onFailure: (failure) => {
      // The session has ended; the screen below says so.
      if (codeOf(failure) === 'UNAUTHENTICATED') onCancel();
      else if (isByCode) setValue('proof', '');
    },
  });
  // Keys that are typed while the proof is checked must not end up in the emptied field.
  const field = { ...fieldOf('proof'), readOnly: form.isBusy };
  return (
    <Form {...form} action="Confirm" onCancel={onCancel} focused>
      <p>
        You signed in a while ago. To keep your account safe, please enter your {by} once more before this is changed.
      </p>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      {isByCode ? (
        <Field
          {...field}
          {...codeInput}
          label="Code"
          hint="From your authenticator app, or one of your backup codes."
        />
      ) : (
        <PasswordField {...field} {...passwordInput} />
      )}
      {canUseCode && (
        <button
          type="button"
          className="min-h-11 justify-self-start text-sm font-semibold text-accent-ink underline"
          onClick={() => onSwitch(isByCode ? 'password' : 'code')}>
          {isByCode ? 'Use your password' : 'Use a code instead'}
        </button>
      )}
    </Form>
  );
}
