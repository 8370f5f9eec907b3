import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import { call, codeOf } from '../../lib/api-client.ts';
import { codeInput } from '../../lib/form-fields.ts';
import { useCodeCheck } from '../../lib/forms.ts';
import { isAnswerLost } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form-page.tsx';
import { Field } from '../../ui/input.tsx';
import { OtpField } from '../../ui/otp-field.tsx';

export interface SecondStep {
  pendingToken: string;
  message: string;
}

interface TwoFactorDialogProps {
  step: SecondStep;
  isOpen: boolean;
  onClose(): void;
  /** The password is needed again. `wasAnswerLost`: a code was sent before, and its answer did not arrive. */
  onExpired(wasAnswerLost: boolean): void;
}

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
          if (codeOf(failure) === 'UNAUTHENTICATED') onExpired(wasAnswerLost.current);
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

const takeFocus = (field: HTMLInputElement | null) => field?.focus();

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
    <Form {...form} action="Verify" disabled={!isComplete} layout="split" onCancel={onCancel}>
      {byBackupCode ? (
        <Field
          {...codeInput}
          ref={takeFocus}
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
