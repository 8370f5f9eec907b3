import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Link, Navigate } from 'react-router';
import type { TwoFactorSetup } from '../../../shared/two-factor.ts';
import { useTitle } from '../../lib/use-title.ts';
import { RequireSession } from '../../state/require-session.tsx';
import { useTwoFactorStatus } from '../../state/two-factor-status.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { IntroStep } from './intro-step.tsx';
import { KeepStep } from './keep-step.tsx';
import { StepList } from './step-list.tsx';
import { VerifyStep } from './verify-step.tsx';

export function TwoFactorSetupScreen() {
  useTitle('Two-factor authentication');
  return (
    <RequireSession>
      <SetupWizard />
    </RequireSession>
  );
}

/** Nothing of it outlives the page: after a reload it begins anew, with a new secret in place of the unverified one. */
function SetupWizard() {
  const status = useTwoFactorStatus();
  const [step, setStep] = useState<1 | 2 | 3 | 'done'>(1);
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [isEnabledAlready, setIsEnabledAlready] = useState(false);

  function verified() {
    setStep('done');
    void status.refetch();
  }

  if (isEnabledAlready || (step === 1 && status.data?.enabled)) return <Navigate to="/profile" replace />;
  if (step === 'done') return <Enabled />;
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-8 sm:px-6">
      <Card className="grid gap-6 p-6 sm:p-8">
        <h1 className="text-2xl">Two-Factor Authentication</h1>
        <StepList current={step} />
        {status.isPending && <Skeleton className="h-48" />}
        {!status.isPending && step === 1 && (
          <IntroStep
            onEnabledAlready={() => setIsEnabledAlready(true)}
            onSetUp={(made) => {
              setSetup(made);
              setStep(2);
            }}
          />
        )}
        {step === 2 && setup && <KeepStep setup={setup} onContinue={() => setStep(3)} />}
        {step === 3 && (
          <VerifyStep
            onEnabledAlready={() => setIsEnabledAlready(true)}
            onBack={() => setStep(2)}
            onVerified={verified}
          />
        )}
      </Card>
    </div>
  );
}

function Enabled() {
  return (
    <Notice icon={ShieldCheck} tone="success" title="Two-factor authentication is on">
      <p>From now on, signing in also asks for a code from your authenticator app, or for a backup code.</p>
      <Link to="/profile" className={buttonClass()}>
        Go to Profile
      </Link>
    </Notice>
  );
}
