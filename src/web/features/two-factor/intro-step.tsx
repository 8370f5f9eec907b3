import { KeyRound, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { TwoFactorSetup } from '../../../shared/two-factor.ts';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FormProblem } from '../../ui/form-page.tsx';

interface IntroStepProps {
  onSetUp(setup: TwoFactorSetup): void;
  onEnabledAlready(): void;
}

export function IntroStep({ onSetUp, onEnabledAlready }: IntroStepProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);

  async function begin() {
    setProblem(null);
    setIsSending(true);
    try {
      onSetUp((await call('POST /auth/2fa/setup')).data);
    } catch (failure) {
      if (failure instanceof CallError && failure.code === 'TWO_FACTOR_ENABLED') return onEnabledAlready();
      setProblem(messageOf(failure, 'Failed to setup 2FA'));
      setIsSending(false);
    }
  }

  return (
    <>
      <p>
        A password can be guessed or stolen. With two-factor authentication, signing in also takes a code that
        only your phone can show.
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
      <FormProblem>{problem}</FormProblem>
      <div className="flex flex-wrap gap-3">
        <Button loading={isSending} onClick={() => void begin()}>
          Get Started
        </Button>
        <Link to="/profile" className={buttonClass('quiet')}>
          Not now
        </Link>
      </div>
    </>
  );
}
