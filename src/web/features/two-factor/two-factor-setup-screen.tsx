import { useMutation } from '@tanstack/react-query';
import { Check, KeyRound, ShieldCheck, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { TWO_FACTOR_CODE_LENGTH, type TwoFactorSetup } from '../../../shared/two-factor.ts';
import { call, codeOf, messageOf } from '../../lib/api-client.ts';
import { DroppedWhenLeft } from '../../lib/dropped-when-left.ts';
import { useCodeCheck } from '../../lib/forms.ts';
import { useTitle } from '../../lib/page.ts';
import { backupCodesFile, useTwoFactorStatus } from '../../state/account-status.ts';
import { useIsShown } from '../../state/answers.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { BackupCodes, CopyButton } from '../../ui/copy.tsx';
import { Card, classNames, Skeleton } from '../../ui/display.tsx';
import { FocusedHeading, Form, FormProblem, Notice } from '../../ui/form-page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { OtpField } from '../../ui/otp-field.tsx';

/** Keeps its state in memory only: a reload or Back starts again with a new secret, which replaces the unverified one. */
export const TwoFactorSetupScreen = () => (
  <DroppedWhenLeft>
    <Setup />
  </DroppedWhenLeft>
);

function Setup() {
  useTitle('Two-factor authentication');
  const { data: status, isPending, refetch } = useTwoFactorStatus();
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [isDone, setIsDone] = useState(false);
  // Each step has its own history entry, so that the browser's Back leads to the step before.
  const { state } = useLocation() as { state: { step?: 2 | 3 } | null };
  const navigate = useNavigate();
  const isShown = useIsShown();
  const step = setup === undefined ? 1 : (state?.step ?? 1);
  const goTo = (next: 2 | 3) => void navigate('', { state: { step: next } });

  function keep(made: TwoFactorSetup) {
    if (!isShown.current) return;
    setSetup(made);
    goTo(2);
  }
  function finish() {
    setIsDone(true);
    void refetch();
  }

  if (isDone) {
    return (
      <Notice icon={ShieldCheck} tone="success" title="Two-factor authentication is on">
        <p>From now on, signing in also asks for a code from your authenticator app, or for a backup code.</p>
        <ButtonLink to="/profile">Go to Profile</ButtonLink>
      </Notice>
    );
  }
  if (status?.enabled) return <Navigate to="/profile" replace />;
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-8 sm:px-6">
      <Card className="grid grid-cols-1 gap-6 p-6 sm:p-8">
        <h1 className="text-2xl hyphens-auto wrap-anywhere">Two-Factor Authentication</h1>
        <StepList current={step} />
        {isPending && (
          <Loading label="Loading the setup">
            <Skeleton className="h-48" />
          </Loading>
        )}
        {!isPending && step === 1 && <IntroStep onSetUp={keep} />}
        {step === 2 && setup && <KeepStep setup={setup} onContinue={() => goTo(3)} />}
        {step === 3 && setup && (
          <VerifyStep madeAt={setup.madeAt} onVerified={finish} onBack={() => void navigate(-1)} />
        )}
      </Card>
    </div>
  );
}

function StepList({ current }: { current: number }) {
  return (
    <ol className="grid grid-cols-[repeat(auto-fit,minmax(4.5rem,1fr))] gap-2 text-sm">
      {['Get ready', 'Scan and keep', 'Verify'].map((title, index) => (
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

const needs = [
  [Smartphone, 'Have an authenticator app at hand, such as Google Authenticator, Microsoft Authenticator or Aegis.'],
  [KeyRound, 'You also get ten backup codes, for the day your phone is not there. Keep them somewhere safe.'],
] as const;

function IntroStep({ onSetUp }: { onSetUp(setup: TwoFactorSetup): void }) {
  const { refetch } = useTwoFactorStatus();
  const setup = useMutation({
    mutationFn: async () => (await call('POST /auth/2fa/setup')).data,
    onError: (failure) => {
      if (codeOf(failure) === 'TWO_FACTOR_ENABLED') void refetch();
    },
    // Do not cache the response, because it contains the secret.
    gcTime: 0,
  });
  return (
    <>
      <p>
        A password can be guessed or stolen. With two-factor authentication, signing in also takes a code that only your
        phone can show.
      </p>
      <ul className="grid gap-4">
        {needs.map(([Icon, text]) => (
          <li key={text} className="flex items-start gap-3">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
            {text}
          </li>
        ))}
      </ul>
      <FormProblem>{setup.error && messageOf(setup.error, 'Failed to setup 2FA')}</FormProblem>
      <div className="flex flex-wrap gap-3">
        <Button loading={setup.isPending} onClick={() => setup.mutate(undefined, { onSuccess: onSetUp })}>
          Get Started
        </Button>
        <ButtonLink to="/profile" variant="quiet">
          Not now
        </ButtonLink>
      </div>
    </>
  );
}

function KeepStep({ setup, onContinue }: { setup: TwoFactorSetup; onContinue(): void }) {
  const { qrCode, secret, backupCodes } = setup;
  return (
    <>
      <section className="grid gap-4">
        <FocusedHeading level="h2" className="text-lg">
          Scan this with your authenticator app
        </FocusedHeading>
        <div className="flex flex-wrap items-center gap-6">
          <img
            src={qrCode}
            alt="QR code that holds your secret"
            className="size-48 rounded-md border border-line bg-[#fff] p-2"
          />
          <div className="grid min-w-0 flex-[1_1_14rem] justify-items-start gap-3">
            <p className="text-muted">No camera? Type this secret into the app instead:</p>
            {/* Groups of four, as authenticator apps show secrets, are easier to type. */}
            <code className="font-mono text-balance break-words">{secret.match(/.{1,4}/g)?.join(' ')}</code>
            <CopyButton size="sm" text={secret} label="Secret" />
          </div>
        </div>
      </section>
      <section className="grid gap-4">
        <h2 className="text-lg">Keep your backup codes</h2>
        <p className="text-muted">
          Each opens your account once when your phone is not at hand. They are shown only now.
        </p>
        <BackupCodes codes={backupCodes} file={backupCodesFile(backupCodes)} />
      </section>
      <Button onClick={onContinue} className="justify-self-start">
        Continue
      </Button>
    </>
  );
}

function VerifyStep({ madeAt, onVerified, onBack }: { madeAt: string; onVerified(): void; onBack(): void }) {
  const { refetch } = useTwoFactorStatus();
  const { code, refuse, field, form } = useCodeCheck({
    check: (token) => call('POST /auth/2fa/verify', { body: { token, madeAt } }),
    onChecked: onVerified,
    onFailure: (failure) => (codeOf(failure) === 'TWO_FACTOR_ENABLED' ? void refetch() : refuse()),
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
