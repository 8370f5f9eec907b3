import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Navigate, useLocation } from 'react-router';
import * as z from 'zod/mini';
import { call, messageOf } from '../../lib/api-client.ts';
import { emailField, emailLimit, passwordLimit } from '../../lib/form-fields.ts';
import { useTitle } from '../../lib/page.ts';
import { useEmailVerification } from '../../state/account-status.ts';
import { useSession } from '../../state/session.tsx';
import { useShop } from '../../state/shop.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormPage, FormProblem, TextLink } from '../../ui/form-page.tsx';
import { PasswordField } from '../../ui/text-fields.tsx';
import { VerifyEmail } from '../../ui/verify-email.tsx';
import { type SecondStep, TwoFactorDialog } from './two-factor-dialog.tsx';

const loginForm = z.object({
  email: emailField,
  password: z.string().check(z.minLength(1, 'Please enter your password')),
  rememberMe: z.boolean(),
});
type LoginForm = z.infer<typeof loginForm>;

const SECOND_STEP_EXPIRED = 'That took too long. Please enter your password again.';

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
    defaultValues: { email: valueIn(state, 'email'), password: '', rememberMe: false },
  });
  useTitle('Sign In');

  useEffect(() => {
    if (secondStep !== null && !isAskingCode) setFocus('password');
  }, [secondStep, isAskingCode, setFocus]);

  if (status === 'signed-in') return <Navigate to={returnPath(state)} replace />;

  const logIn = handleSubmit(async (body) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const response = await call('POST /auth/login', { body });
      if ('token' in response) return signIn(response);
      setSecondStep(response);
      setIsAskingCode(true);
    } catch (failure) {
      setProblem(messageOf(failure, 'Login failed'));
      setFocus('password');
    }
  });

  function askPasswordAgain() {
    setIsAskingCode(false);
    setProblem(SECOND_STEP_EXPIRED);
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
          <TextLink to="/forgot-password" className="min-h-11 content-center">
            Forgot password?
          </TextLink>
        </div>
        <FormProblem>{problem}</FormProblem>
        <Button type="submit" size="lg" loading={formState.isSubmitting}>
          Sign In
        </Button>
      </form>
      <DemoAccounts onUse={fillIn} />
      <div className="grid justify-items-center gap-1 text-center text-muted">
        <p>
          No account yet? <TextLink to="/register">See how to get one</TextLink>
        </p>
        <TextLink to="/find-order" className="min-h-11 content-center">
          Find my order without signing in
        </TextLink>
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

/** A value that the previous screen left in the history entry. */
function valueIn(state: unknown, name: 'from' | 'email'): string {
  const left = typeof state === 'object' && state !== null && name in state ? Reflect.get(state, name) : '';
  return typeof left === 'string' ? left : '';
}

/** The page to return to after the login. */
function returnPath(state: unknown): string {
  const from = valueIn(state, 'from');
  return /^\/(?!\/)/.test(from) ? from : '/';
}

/** In a shop with demo data: accounts to try; pressing Use fills the form. */
function DemoAccounts({ onUse }: { onUse: (account: { email: string; password: string }) => void }) {
  const accounts = useShop()?.demoAccounts ?? [];
  if (accounts.length === 0) return null;
  return (
    <section aria-labelledby="demo-accounts" className="grid gap-3 rounded-md bg-info-soft p-4 text-sm text-info">
      <h2 id="demo-accounts" className="text-sm tracking-normal">
        Demo accounts
      </h2>
      <ul className="grid gap-3">
        {accounts.map(({ label, email, password }) => (
          <li key={email} className="flex items-center justify-between gap-3">
            <span className="min-w-0 break-words">
              <strong className="block">{label}</strong>
              {email}
              <br />
              {password}
            </span>
            <Button size="sm" variant="secondary" onClick={() => onUse({ email, password })}>
              Use<span className="sr-only"> {label}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
