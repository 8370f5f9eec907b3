import { useEffect, useRef } from 'react';
import { TWO_FACTOR_CODE_LENGTH, type TwoFactorSetup } from '../../../shared/two-factor.ts';
import { call, codeOf } from '../../lib/api-client.ts';
import { useCodeCheck } from '../../lib/use-code-check.ts';
import { backupCodesFile } from '../../state/account-status.ts';
import { Button } from '../../ui/button.tsx';
import { CodeList, CopyButton } from '../../ui/copy.tsx';
import { Form } from '../../ui/form-page.tsx';
import { OtpField } from '../../ui/otp-field.tsx';

interface VerifyStepProps {
  onVerified(): void;
  onBack(): void;
  onEnabledAlready(): void;
}

export function VerifyStep({ onVerified, onBack, onEnabledAlready }: VerifyStepProps) {
  const { code, refuse, field, form } = useCodeCheck({
    check: (token) => call('POST /auth/2fa/verify', { body: { token } }),
    onChecked: onVerified,
    onFailure: (failure) => (codeOf(failure) === 'TWO_FACTOR_ENABLED' ? onEnabledAlready() : refuse()),
    errorMessage: (failure) =>
      codeOf(failure) === 'INVALID_CODE' ? 'Invalid verification code' : 'Verification failed',
  });
  return (
    <Form
      {...form}
      action="Verify"
      disabled={code.length !== TWO_FACTOR_CODE_LENGTH}
      layout="card"
      onCancel={onBack}
      cancel="Back"
      className="gap-6">
      <OtpField
        {...field}
        label="Code from your app"
        hint="Please enter a 6-digit code"
        length={TWO_FACTOR_CODE_LENGTH}
        focused
      />
    </Form>
  );
}

export function KeepStep({ setup, onContinue }: { setup: TwoFactorSetup; onContinue(): void }) {
  const { qrCode, secret, backupCodes } = setup;
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
            <CopyButton size="sm" text={secret} label="Secret" />
          </div>
        </div>
      </section>
      <section className="grid gap-4">
        <h2 className="text-lg">Keep your backup codes</h2>
        <p className="text-muted">
          Each opens your account once when your phone is not at hand. They are shown only now.
        </p>
        <CodeList label="Backup codes" codes={backupCodes} file={backupCodesFile(backupCodes)} />
      </section>
      <Button onClick={onContinue} className="justify-self-start">
        Continue
      </Button>
    </>
  );
}

/** Groups of four, as authenticator apps show secrets, are easier to type. */
const inGroups = (secret: string) => secret.match(/.{1,4}/g)?.join(' ');
