import { useRef, useState } from 'react';
import { Link } from 'react-router';
import * as z from 'zod/mini';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import { call, codeOf } from '../../lib/api-client.ts';
import { codeInput, passwordInput } from '../../lib/form-fields.ts';
import { useCodeCheck, useSendForm } from '../../lib/forms.ts';
import { useTwoFactorStatus } from '../../state/account-status.ts';
import { isAnswerLost } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form-page.tsx';
import { Field, PasswordField } from '../../ui/input.tsx';
import { OtpField } from '../../ui/otp-field.tsx';
import type { ReauthenticationDialogProps } from './reauthentication.tsx';

export interface SecondStep {
  pendingToken: string;
  message: string;
}

interface TwoFactorDialogProps {
  step: SecondStep;
  isOpen: boolean;
  onClose(): void;
  /** The password is needed again, as the message says. */
  onExpired(message: string): void;
}

const EXPIRED = 'That took too long. Please enter your password again.';
// The first try may have used up the code.
const ANSWER_LOST = 'The answer to your code did not arrive. Please enter your password again, and then a new code.';

export function TwoFactorDialog({ step, isOpen, onClose, onExpired }: TwoFactorDialogProps) {
  const [byBackupCode, setByBackupCode] = useState(false);
  const wasAnswerLost = useRef(false);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Two-factor authentication">
      <p>{byBackupCode ? 'Enter one of the backup codes you saved. Each works once.' : step.message}</p>
      <CodeForm
        key={String(byBackupCode)}
        onCancel={onClose}
        byBackupCode={byBackupCode}
        pendingToken={step.pendingToken}
        onFailure={(failure) => {
          if (codeOf(failure) === 'UNAUTHENTICATED') onExpired(wasAnswerLost.current ? ANSWER_LOST : EXPIRED);
          wasAnswerLost.current ||= isAnswerLost(failure);
        }}
      />
      <div className="flex flex-wrap justify-between gap-x-6 text-sm font-semibold text-accent-ink">
        <button type="button" className="min-h-11 underline" onClick={() => setByBackupCode(!byBackupCode)}>
          {byBackupCode ? 'Use the authenticator app' : 'Use a backup code'}
        </button>
        <Link to="/info/contact" className="min-h-11 content-center underline">
          Contact Support
        </Link>
      </div>
    </Dialog>
  );
}

interface CodeFormProps {
  byBackupCode: boolean;
  pendingToken: string;
  onCancel(): void;
  onFailure(failure: unknown): void;
}

function CodeForm({ byBackupCode, pendingToken, onCancel, onFailure }: CodeFormProps) {
  const { signIn } = useSession();
  const { code, field, form } = useCodeCheck({
    check: (twoFactorToken) => call('POST /auth/login', { body: { twoFactorToken, pendingToken } }),
    onChecked: (response) => {
      if ('token' in response) signIn(response);
    },
    onFailure,
    errorMessage: 'Invalid 2FA code',
  });
  const isComplete = byBackupCode ? code.trim() !== '' : code.length === TWO_FACTOR_CODE_LENGTH;
  return (
    <Form {...form} action="Verify" disabled={!isComplete} layout="split" onCancel={onCancel} focused={byBackupCode}>
      {byBackupCode ? (
        <Field
          {...codeInput}
          label="Backup code"
          autoComplete="off"
          value={code}
          onChange={({ target }) => field.onChange(target.value)}
          readOnly={field.isChecking}
          error={field.error}
        />
      ) : (
        <OtpField
          {...field}
          focused
          label="Authentication code"
          length={TWO_FACTOR_CODE_LENGTH}
          hint="Please enter a 6-digit code"
        />
      )}
    </Form>
  );
}

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
