import { CreditCard, KeyRound, ShieldCheck, ShoppingBag, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import * as z from 'zod/mini';
import { call } from '../../lib/api-client.ts';
import { emailField, emailInput, passwordInput } from '../../lib/form-fields.ts';
import { useSendForm } from '../../lib/forms.ts';
import { useTitle } from '../../lib/page.ts';
import { useEmailVerification } from '../../state/account-status.ts';
import { useSession } from '../../state/session.tsx';
import { useShop } from '../../state/shop.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/display.tsx';
import { Form, FormPage, TextLink, VerifyEmail } from '../../ui/form-page.tsx';
import { Checkbox, Field, PasswordField } from '../../ui/input.tsx';
import { type SecondStep, TwoFactorDialog } from './identity-dialogs.tsx';

const loginForm = z.object({
  email: emailField,
  password: z.string().check(z.minLength(1, 'Please enter your password')),
  rememberMe: z.boolean(),
});

export function LoginScreen() {
  const { status, signIn } = useSession();
  // What the previous screen left in the history entry.
  const { from = '', email = '' } = (useLocation().state ?? {}) as { from?: string; email?: string };
  const verification = useEmailVerification();
  const [secondStep, setSecondStep] = useState<SecondStep | null>(null);
  const [isAskingCode, setIsAskingCode] = useState(false);
  const { register, fieldOf, form, setValue, setFocus, setError, resetField } = useSendForm({
    schema: loginForm,
    defaultValues: { email, password: '', rememberMe: false },
    send: async (body) => {
      const response = await call('POST /auth/login', { body });
      if ('token' in response) return signIn(response);
      setSecondStep(response);
      setIsAskingCode(true);
    },
    onFailure: () => setFocus('password'),
    errorMessage: 'Login failed',
  });
  useTitle('Sign In');

  useEffect(() => {
    if (secondStep !== null && !isAskingCode) setFocus('password');
  }, [secondStep, isAskingCode, setFocus]);

  if (status === 'signed-in') return <Navigate to={/^\/(?!\/)/.test(from) ? from : '/'} replace />;

  function askPasswordAgain(message: string) {
    setIsAskingCode(false);
    resetField('password');
    setError('root', { message });
  }

  const fillIn = (account: { email: string; password: string }) => {
    setValue('email', account.email, { shouldValidate: true });
    setValue('password', account.password, { shouldValidate: true });
  };

  return (
    <FormPage title="Sign In" lead="See your orders and open your items.">
      {verification && <VerifyEmail {...verification} />}
      <Form {...form} action="Sign In">
        <Field {...fieldOf('email')} {...emailInput} autoComplete="username" />
        <PasswordField {...fieldOf('password')} {...passwordInput} />
        <div className="flex flex-wrap items-center justify-between gap-x-6">
          <Checkbox {...register('rememberMe')}>Remember me</Checkbox>
          <TextLink to="/forgot-password" className="min-h-11 content-center">
            Forgot password?
          </TextLink>
        </div>
      </Form>
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
            <span className="min-w-0 wrap-anywhere">
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

const steps = [
  { icon: ShoppingBag, title: 'Browse', text: 'Find what you like and put it in your cart.' },
  { icon: UserRound, title: 'Check out', text: 'Give your name, your email and a password of your choice.' },
  { icon: CreditCard, title: 'Pay', text: 'Pay by card. Your account is made, and you are signed in.' },
  { icon: KeyRound, title: 'Log in', text: 'Come back any time with that email and password.' },
];

export function RegisterScreen() {
  useTitle('Buy to Register');
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-10 sm:py-14">
      <Card className="grid gap-8 p-6 sm:p-10">
        <div className="grid gap-2">
          <h1 className="text-2xl">Buy to Register</h1>
          <p className="text-muted">There is no form to fill in here: your first purchase makes your account.</p>
        </div>
        <ol className="grid gap-5 sm:grid-cols-2">
          {steps.map(({ icon: Icon, title, text }, position) => (
            <li key={title} className="flex gap-4">
              <span className="grid size-11 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-ink">
                <Icon aria-hidden className="size-5" />
              </span>
              <div>
                <h2 className="text-base">
                  {position + 1}. {title}
                </h2>
                <p className="text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ol>
        <Callout tone="accent" icon={ShieldCheck}>
          Why? It prevents spam and fake accounts, so everybody here is a real buyer.
        </Callout>
        <div className="flex flex-col gap-3 sm:flex-row sm:items-center sm:gap-6">
          <ButtonLink to="/" size="lg">
            Start Shopping
          </ButtonLink>
          <p className="text-center text-muted">
            Already have an account? <TextLink to="/login">Login</TextLink>
          </p>
        </div>
      </Card>
    </div>
  );
}
