import { type FormEvent, useState } from 'react';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { Button } from '../../ui/button.tsx';
import { OtpField, useOtp } from '../../ui/otp-field.tsx';

interface VerifyStepProps {
  onVerified(): void;
  onBack(): void;
  onEnabledAlready(): void;
}

export function VerifyStep({ onVerified, onBack, onEnabledAlready }: VerifyStepProps) {
  const { code, refuse, otp } = useOtp();
  const [problem, setProblem] = useState<string>();
  const [isSending, setIsSending] = useState(false);

  async function verify(token: string) {
    if (isSending) return;
    setProblem(undefined);
    setIsSending(true);
    try {
      await call('POST /auth/2fa/verify', { body: { token } });
      onVerified();
    } catch (failure) {
      const reason = failure instanceof CallError ? failure.code : undefined;
      if (reason === 'TWO_FACTOR_ENABLED') return onEnabledAlready();
      setProblem(
        messageOf(failure, reason === 'INVALID_CODE' ? 'Invalid verification code' : 'Verification failed'),
      );
      refuse();
      setIsSending(false);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    void verify(code);
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-6">
      <OtpField
        {...otp}
        label="Code from your app"
        hint="Please enter a 6-digit code"
        length={TWO_FACTOR_CODE_LENGTH}
        isChecking={isSending}
        onComplete={(complete) => void verify(complete)}
        error={problem}
        focused
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" loading={isSending} disabled={code.length !== TWO_FACTOR_CODE_LENGTH}>
          Verify
        </Button>
        <Button variant="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
