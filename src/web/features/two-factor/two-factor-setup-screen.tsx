import { useMutation } from '@tanstack/react-query';
import { Check, KeyRound, ShieldCheck, Smartphone } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Navigate } from 'react-router';
import { TWO_FACTOR_CODE_LENGTH, type TwoFactorSetup } from '../../../shared/two-factor.ts';
import { call, codeOf, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useCodeCheck } from '../../lib/use-code-check.ts';
import { backupCodesFile, useTwoFactorStatus } from '../../state/account-status.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card, Skeleton } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CodeList, CopyButton } from '../../ui/copy.tsx';
import { Form, FormProblem, Notice } from '../../ui/form-page.tsx';
import { OtpField } from '../../ui/otp-field.tsx';

/** Keeps its state in the page only: a reload starts again, with a new secret instead of the unverified one. */
export function TwoFactorSetupScreen() {
  useTitle('Two-factor authentication');
  const status = useTwoFactorStatus();
  const [step, setStep] = useState<1 | 2 | 3 | 'done'>(1);
  const [setup, setSetup] = useState<TwoFactorSetup>();

  function verified() {
    setStep('done');
    void status.refetch();
  }

  if (step === 'done') return <Enabled />;
  if (status.data?.enabled) return <Navigate to="/profile" replace />;
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-8 sm:px-6">
      <Card className="grid gap-6 p-6 sm:p-8">
        <h1 className="text-2xl">Two-Factor Authentication</h1>
        <StepList current={step} />
        {status.isPending && <Skeleton className="h-48" />}
        {!status.isPending && step === 1 && (
          <IntroStep
            onEnabledAlready={() => void status.refetch()}
            onSetUp={(made) => {
              setSetup(made);
              setStep(2);
            }}
          />
        )}
        {step === 2 && setup && <KeepStep setup={setup} onContinue={() => setStep(3)} />}
        {step === 3 && (
          <VerifyStep onEnabledAlready={() => void status.refetch()} onBack={() => setStep(2)} onVerified={verified} />
        )}
      </Card>
    </div>
  );
}

function Enabled() {
  return (
    <Notice icon={ShieldCheck} tone="success" title="Two-factor authentication is on">
      <p>From now on, signing in also asks for a code from your authenticator app, or for a backup code.</p>
      <ButtonLink to="/profile">Go to Profile</ButtonLink>
    </Notice>
  );
}

const stepTitles = ['Get ready', 'Scan and keep', 'Verify'];

function StepList({ current }: { current: number }) {
  return (
    <ol className="grid grid-cols-3 gap-2 text-sm">
      {stepTitles.map((title, index) => (
        <li
          key={title}
          aria-current={index + 1 === current ? 'step' : undefined}
          className={classNames(
            'flex items-start gap-1.5 border-t-3 pt-2',
            index < current ? 'border-accent font-semibold' : 'border-line text-muted',
          )}>
          {index + 1 < current ? (
            <Check aria-hidden className="size-4 shrink-0 text-accent" />
          ) : (
            <span>{index + 1}.</span>
          )}
          {title}
        </li>
      ))}
    </ol>
  );
}

interface IntroStepProps {
  onSetUp(setup: TwoFactorSetup): void;
  onEnabledAlready(): void;
}

function IntroStep({ onSetUp, onEnabledAlready }: IntroStepProps) {
  const setup = useMutation({
    mutationFn: async () => (await call('POST /auth/2fa/setup')).data,
    onSuccess: onSetUp,
    onError: (failure) => {
      if (codeOf(failure) === 'TWO_FACTOR_ENABLED') onEnabledAlready();
    },
    // The answer has the secret.
    gcTime: 0,
  });
  return (
    <>
      <p>
        A password can be guessed or stolen. With two-factor authentication, signing in also takes a code that only your
        phone can show.
      </p>
      <ul className="grid gap-4">
        <li className="flex items-start gap-3">
          <Smartphone aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          Have an authenticator app at hand, such as Google Authenticator, Microsoft Authenticator or Aegis.
        </li>
        <li className="flex items-start gap-3">
          <KeyRound aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          You also get ten backup codes, for the day your phone is not there. Keep them somewhere safe.
        </li>
      </ul>
      <FormProblem>{setup.error && messageOf(setup.error, 'Failed to setup 2FA')}</FormProblem>
      <div className="flex flex-wrap gap-3">
        <Button loading={setup.isPending} onClick={() => setup.mutate()}>
          Get Started
        </Button>
        <ButtonLink to="/profile" variant="quiet">
          Not now
        </ButtonLink>
      </div>
    </>
  );
}

interface VerifyStepProps {
  onVerified(): void;
  onBack(): void;
  onEnabledAlready(): void;
}

function VerifyStep({ onVerified, onBack, onEnabledAlready }: VerifyStepProps) {
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

function KeepStep({ setup, onContinue }: { setup: TwoFactorSetup; onContinue(): void }) {
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
