import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, Navigate, useLocation } from 'react-router';
import { call, messageOf } from '../../lib/api-client.ts';
import { emailLimit, passwordLimit } from '../../lib/form-fields.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useEmailVerification } from '../../state/email-verification.ts';
import { useSession } from '../../state/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormPage, FormProblem } from '../../ui/form-page.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { VerifyEmail } from '../../ui/verify-email.tsx';
import { DemoAccounts } from './demo-accounts.tsx';
import { type LoginForm, loginForm } from './login-schema.ts';
import { type SecondStep, TwoFactorDialog } from './two-factor-dialog.tsx';

const PENDING_IS_OVER = 'That took too long. Please enter your password again.';

/** What the screen before left in the history entry. */
function leftBy(state: unknown, name: 'from' | 'email'): string {
  const left = typeof state === 'object' && state !== null && name in state ? Reflect.get(state, name) : '';
  return typeof left === 'string' ? left : '';
}

/** Where a screen that needed a session sent its visitor from. */
function cameFrom(state: unknown): string {
  const from = leftBy(state, 'from');
  return /^\/(?!\/)/.test(from) ? from : '/';
}

export function LoginScreen() {
  const { status, signIn } = useSession();
  const { state } = useLocation();
  const verification = useEmailVerification();
  const [problem, setProblem] = useState<string | null>(null);
  const [secondStep, setSecondStep] = useState<SecondStep | null>(null);
  const [isAskingCode, setIsAskingCode] = useState(false);
  const { register, handleSubmit, formState, setValue, setFocus, resetField } = useForm<LoginForm>({
    resolver: standardSchemaResolver(loginForm),
    mode: 'onTouched',
    defaultValues: { email: leftBy(state, 'email'), password: '', rememberMe: false },
  });
  useTitle('Sign In');

  useEffect(() => {
    if (secondStep !== null && !isAskingCode) setFocus('password');
  }, [secondStep, isAskingCode, setFocus]);

  if (status === 'signed-in') return <Navigate to={cameFrom(state)} replace />;

  const logIn = handleSubmit(async (body) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const answer = await call('POST /auth/login', { body });
      if ('token' in answer) return signIn(answer);
      setSecondStep(answer);
      setIsAskingCode(true);
    } catch (failure) {
      setProblem(messageOf(failure, 'Login failed'));
      setFocus('password');
    }
  });

  function askPasswordAgain() {
    setIsAskingCode(false);
    setProblem(PENDING_IS_OVER);
    resetField('password');
  }

  const fillIn = (account: { email: string; password: string }) => {
    setValue('email', account.email, { shouldValidate: true });
    setValue('password', account.password, { shouldValidate: true });
  };

  return (
    <FormPage title="Sign In" lead="To your orders and what they delivered.">
      {verification && <VerifyEmail {...verification} />}
      <form noValidate onSubmit={(event) => void logIn(event)} className="grid gap-4">
        <Field
          {...register('email')}
          {...emailLimit}
          label="Email"
          type="email"
          autoComplete="username"
          spellCheck={false}
          required
          error={formState.errors.email?.message}
        />
        <PasswordField
          {...register('password')}
          {...passwordLimit}
          label="Password"
          autoComplete="current-password"
          required
          error={formState.errors.password?.message}
        />
        <div className="flex flex-wrap items-center justify-between gap-x-6">
          <label className="flex min-h-11 items-center gap-3">
            <input {...register('rememberMe')} type="checkbox" className="size-5 accent-accent" />
            Remember me
          </label>
          <Link
            to="/forgot-password"
            className="min-h-11 content-center font-semibold text-accent-ink underline"
          >
            Forgot password?
          </Link>
        </div>
        <FormProblem>{problem}</FormProblem>
        <Button type="submit" size="lg" loading={formState.isSubmitting}>
          Sign In
        </Button>
      </form>
      <DemoAccounts onUse={fillIn} />
      <div className="grid justify-items-center gap-1 text-center text-muted">
        <p>
          No account yet?{' '}
          <Link to="/register" className="font-semibold text-accent-ink underline">
            See how to get one
          </Link>
        </p>
        <Link to="/find-order" className="min-h-11 content-center font-semibold text-accent-ink underline">
          Find my order without signing in
        </Link>
      </div>
      {secondStep && (
        <TwoFactorDialog
          key={secondStep.pendingToken}
          step={secondStep}
          isOpen={isAskingCode}
          onClose={() => setIsAskingCode(false)}
          onExpired={askPasswordAgain}
        />
      )}
    </FormPage>
  );
}
