import { type FormEvent, useState } from 'react';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { Button } from '../../ui/button.tsx';
import { OtpField } from '../../ui/otp-field.tsx';

interface VerifyStepProps {
  onVerified(): void;
  onBack(): void;
  onEnabledAlready(): void;
}

export function VerifyStep({ onVerified, onBack, onEnabledAlready }: VerifyStepProps) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [refusals, setRefusals] = useState(0);
  const [isSending, setIsSending] = useState(false);

  async function verify(token: string) {
    if (isSending) return;
    setProblem(undefined);
    setIsSending(true);
    try {
      await call('verifyTwoFactor', { body: { token } });
      onVerified();
    } catch (failure) {
      const reason = failure instanceof CallError ? failure.code : undefined;
      if (reason === 'TWO_FACTOR_ENABLED') return onEnabledAlready();
      setProblem(
        messageOf(failure, reason === 'INVALID_CODE' ? 'Invalid verification code' : 'Verification failed'),
      );
      setCode('');
      setRefusals((count) => count + 1);
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
        // A field anew after a wrong code, with the focus on its first digit.
        key={refusals}
        label="Code from your app"
        hint="Please enter a 6-digit code"
        length={TWO_FACTOR_CODE_LENGTH}
        value={code}
        onChange={setCode}
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
