import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { call, messageOf } from '../../lib/api-client.ts';
import { emailField, emailLimit } from '../../lib/form-fields.ts';
import { useTitle } from '../../lib/page.ts';
import { storage } from '../../lib/storage.ts';
import { useShop } from '../../state/shop.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FormPage, FormProblem, Notice, TextLink } from '../../ui/form-page.tsx';
import { EmailField } from '../../ui/text-fields.tsx';
import { MailboxLink } from '../../ui/verify-email.tsx';
import { isLinkInvalid, LinkNeeded, NewPasswordForm, useLinkToken } from './mailed-link.tsx';

const request = z.object({ email: emailField });

export function ForgotPasswordScreen() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState, setValue } = useForm<z.infer<typeof request>>({
    resolver: standardSchemaResolver(request),
    mode: 'onTouched',
    defaultValues: { email: '' },
  });
  useTitle('Forgot password');

  const ask = handleSubmit(async ({ email }) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      await call('POST /auth/forgotpassword', { body: { email } });
      setSentTo(email);
    } catch (failure) {
      setProblem(messageOf(failure, 'Verification failed'));
    }
  });

  if (sentTo !== null) return <Sent email={sentTo} onAgain={() => setSentTo(null)} />;
  return (
    <FormPage title="Forgot password?" lead="We mail you a link with which you choose a new one.">
      <form noValidate onSubmit={(event) => void ask(event)} className="grid gap-4">
        <EmailField
          {...register('email')}
          {...emailLimit}
          onTake={(email) => setValue('email', email, { shouldValidate: true })}
          label="Email"
          autoComplete="username"
          required
          error={formState.errors.email?.message}
        />
        <FormProblem>{problem}</FormProblem>
        <Button type="submit" size="lg" loading={formState.isSubmitting}>
          Send the link
        </Button>
      </form>
      <p className="text-center text-muted">
        Remembered it? <TextLink to="/login">Sign In</TextLink>
      </p>
    </FormPage>
  );
}

/** The same whether or not an account has this e-mail. */
function Sent({ email, onAgain }: { email: string; onAgain: () => void }) {
  const mailbox = useShop()?.mailbox;
  return (
    <Notice icon={MailCheck} tone="success" title="Look into your mail">
      <p>
        If there is an account with this address, a mail with a link is on its way to{' '}
        <strong className="wrap-anywhere">{email}</strong>. The link works once, within an hour.
      </p>
      <p className="text-muted">Nothing there after some minutes? Look into the spam folder, or check the address.</p>
      <MailboxLink path={mailbox} />
      <Button variant="secondary" onClick={onAgain}>
        Try another address
      </Button>
    </Notice>
  );
}

/** Opened by the link in the mail for a forgotten password. */
export function ResetPasswordScreen() {
  const resetToken = useLinkToken();
  const navigate = useNavigate();
  const { show } = useToasts();
  const [problem, setProblem] = useState<string | null>(null);
  const [isInvalid, setIsInvalid] = useState(false);
  useTitle('New password');

  async function reset(password: string) {
    setProblem(null);
    try {
      const { data } = await call('POST /auth/resetpassword', { body: { resetToken, password } });
      // All sessions of the account have ended, including one in this browser.
      storage.token.clear();
      storage.user.clear();
      show({ type: 'success', message: 'Your password is changed. Sign in with the new one.' });
      await navigate('/login', { replace: true, state: { email: data.email } });
    } catch (failure) {
      if (isLinkInvalid(failure)) setIsInvalid(true);
      else setProblem(messageOf(failure, 'Failed to update password'));
    }
  }

  if (isInvalid || resetToken === '') {
    return (
      <LinkNeeded isInvalid={isInvalid}>
        <p>A link for a new password works once, within an hour of asking for it.</p>
        <Link to="/forgot-password" className={buttonClass()}>
          Ask for a new link
        </Link>
      </LinkNeeded>
    );
  }
  return (
    <FormPage title="New password" lead="Choose a new password for your account.">
      <NewPasswordForm submitLabel="Change password" onChosen={reset} problem={problem} />
    </FormPage>
  );
}
