import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { useSession } from '../../state/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { OtpField, useOtp } from '../../ui/otp-field.tsx';

export interface SecondStep {
  pendingToken: string;
  /** The server's message that asks for a code. */
  message: string;
}

interface TwoFactorDialogProps {
  step: SecondStep;
  isOpen: boolean;
  onClose(): void;
  /** The pending token has expired: the password is needed again. */
  onExpired(): void;
}

export function TwoFactorDialog({ step, isOpen, onClose, onExpired }: TwoFactorDialogProps) {
  const [byBackupCode, setByBackupCode] = useState(false);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Two-factor authentication">
      <p>{byBackupCode ? 'Enter one of the backup codes you saved. Each works once.' : step.message}</p>
      <CodeForm
        key={String(byBackupCode)}
        onCancel={onClose}
        byBackupCode={byBackupCode}
        pendingToken={step.pendingToken}
        onExpired={onExpired}
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
  onExpired(): void;
}

const takeFocus = (field: HTMLInputElement | null) => field?.focus();

function CodeForm({ byBackupCode, pendingToken, onCancel, onExpired }: CodeFormProps) {
  const { signIn } = useSession();
  const [backupCode, setBackupCode] = useState('');
  const { code, refuse, otp } = useOtp();
  const check = useMutation({
    mutationFn: (twoFactorToken: string) => call('POST /auth/login', { body: { twoFactorToken, pendingToken } }),
    onSuccess: (response) => {
      if ('token' in response) signIn(response);
    },
    onError: (failure) => {
      if (!(failure instanceof CallError)) return;
      if (failure.code === 'UNAUTHENTICATED') onExpired();
      if (failure.code !== 'INVALID_CODE') return;
      setBackupCode('');
      refuse();
    },
  });
  const verify = (typed: string) => {
    if (!check.isPending) check.mutate(typed);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify(byBackupCode ? backupCode.trim() : code);
  };
  const error = check.error ? messageOf(check.error, 'Invalid 2FA code') : undefined;
  const isComplete = byBackupCode ? backupCode.trim() !== '' : code.length === TWO_FACTOR_CODE_LENGTH;

  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      {byBackupCode ? (
        <Field
          ref={takeFocus}
          label="Backup code"
          value={backupCode}
          onChange={({ target }) => setBackupCode(target.value)}
          readOnly={check.isPending}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          error={error}
        />
      ) : (
        <OtpField
          {...otp}
          focused
          label="Authentication code"
          length={TWO_FACTOR_CODE_LENGTH}
          isChecking={check.isPending}
          onComplete={verify}
          hint="Please enter a 6-digit code"
          error={error}
        />
      )}
      <div className="grid grid-cols-[1fr_2fr] gap-3">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={!isComplete} loading={check.isPending}>
          Verify
        </Button>
      </div>
    </form>
  );
}
