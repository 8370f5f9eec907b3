import { Check, Copy } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { TWO_FACTOR_CODE_LENGTH, type TwoFactorSetup } from '../../../shared/two-factor.ts';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { useCopy } from '../../lib/use-copy.ts';
import { useKeepCodes } from '../../lib/use-keep-codes.ts';
import { Button } from '../../ui/button.tsx';
import { CodeList } from '../../ui/code-list.tsx';
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
      setProblem(messageOf(failure, reason === 'INVALID_CODE' ? 'Invalid verification code' : 'Verification failed'));
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

export function KeepStep({ setup, onContinue }: { setup: TwoFactorSetup; onContinue(): void }) {
  const { qrCode, secret, backupCodes } = setup;
  const { copied, copy } = useCopy();
  const CopyIcon = copied ? Check : Copy;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <section className="grid gap-4">
        <h2 ref={heading} tabIndex={-1} className="text-lg outline-none">
          Scan this with your authenticator app
        </h2>
        <div className="flex flex-wrap items-center gap-6">
          <img
            src={qrCode}
            alt="QR code that holds your secret"
            className="size-48 rounded-md border border-line bg-[#fff] p-2"
          />
          <div className="grid min-w-0 flex-[1_1_14rem] justify-items-start gap-3">
            <p className="text-muted">No camera? Type this secret into the app instead:</p>
            <code className="font-mono text-balance break-words">{inGroups(secret)}</code>
            <Button variant="secondary" size="sm" onClick={() => void copy(secret)}>
              <CopyIcon aria-hidden className="size-4" />
              <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
              <span className="sr-only">Secret</span>
            </Button>
          </div>
        </div>
      </section>
      <section className="grid gap-4">
        <h2 className="text-lg">Keep your backup codes</h2>
        <p className="text-muted">
          Each opens your account once when your phone is not at hand. They are shown only now.
        </p>
        <CodeList label="Backup codes" codes={backupCodes} {...useKeepCodes(backupCodes)} />
      </section>
      <Button onClick={onContinue} className="justify-self-start">
        Continue
      </Button>
    </>
  );
}

/** Groups of four, as authenticator apps show secrets, are easier to type. */
const inGroups = (secret: string) => secret.match(/.{1,4}/g)?.join(' ');
