import { MailCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { call } from '../../lib/api-client.ts';
import { emailField, emailInput, passwordLimit, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { useSendForm } from '../../lib/forms.ts';
import { useTitle } from '../../lib/page.ts';
import { forgetSession } from '../../lib/storage.ts';
import { useIsShown } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { useShop } from '../../state/shop.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Form, FormPage, MailboxLink, Notice, TextLink } from '../../ui/form-page.tsx';
import { EmailField, NewPasswordFields } from '../../ui/input.tsx';
import { isLinkInvalid, LinkNeeded, useLinkToken } from './email-screens.tsx';

export function ForgotPasswordScreen() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const mailbox = useShop()?.mailbox;
  const { fieldOf, setValue, form } = useSendForm({
    schema: z.object({ email: emailField }),
    defaultValues: { email: '' },
    send: async ({ email }) => {
      await call('POST /auth/forgotpassword', { body: { email } });
      setSentTo(email);
    },
    errorMessage: 'The mail could not be sent. Please try again.',
  });
  useTitle('Forgot password');

  // The text is the same whether or not an account has this e-mail.
  if (sentTo !== null) {
    return (
      <Notice icon={MailCheck} tone="success" title="Check your mail">
        <p>
          If there is an account with this address, a mail with a link is on its way to{' '}
          <strong className="wrap-anywhere">{sentTo}</strong>. The link works once, within an hour.
        </p>
        <p className="text-muted">No mail after a few minutes? Look in the spam folder, or check the address.</p>
        <MailboxLink path={mailbox} />
        <Button variant="secondary" onClick={() => setSentTo(null)}>
          Try another address
        </Button>
      </Notice>
    );
  }
  return (
    <FormPage title="Forgot password?" lead="We mail you a link with which you choose a new one.">
      <Form {...form} action="Send the link">
        <EmailField
          {...fieldOf('email')}
          {...emailInput}
          autoComplete="username"
          onTake={(email) => setValue('email', email, { shouldValidate: true })}
        />
      </Form>
      <p className="text-center text-muted">
        Remembered it? <TextLink to="/login">Sign In</TextLink>
      </p>
    </FormPage>
  );
}

export function ResetPasswordScreen() {
  const resetToken = useLinkToken();
  const navigate = useNavigate();
  const { show } = useToasts();
  const isShown = useIsShown();
  const [isInvalid, setIsInvalid] = useState(false);
  useTitle('New password');

  async function reset(password: string) {
    const { data } = await call('POST /auth/resetpassword', { body: { resetToken, password } });
    // All sessions of the account have ended, including one in this browser.
    forgetSession();
    show({ type: 'success', message: 'Your password is changed' });
    if (isShown.current) await navigate('/login', { replace: true, state: { email: data.email } });
  }

  if (isInvalid || resetToken === '') {
    return (
      <LinkNeeded isInvalid={isInvalid}>
        <p>
          A link for a new password works once, within an hour of asking for it.
          {isInvalid && ' If you have pressed the button before, your password is changed: sign in with the new one.'}
        </p>
        <div className="flex flex-wrap justify-center gap-3">
          <ButtonLink to="/forgot-password">Ask for a new link</ButtonLink>
          {isInvalid && (
            <ButtonLink to="/login" variant="secondary">
              Sign In
            </ButtonLink>
          )}
        </div>
      </LinkNeeded>
    );
  }
  return (
    <FormPage title="New password" lead="Choose a new password for your account.">
      <NewPasswordForm
        action="Change password"
        send={reset}
        onFailure={(failure) => setIsInvalid(isLinkInvalid(failure))}
        errorMessage="Failed to update password"
      />
    </FormPage>
  );
}

/** Opened by the link in the mail of a guest's order. */
export function ClaimScreen() {
  const claimToken = useLinkToken();
  const { signIn } = useSession();
  const navigate = useNavigate();
  const isShown = useIsShown();
  const [isInvalid, setIsInvalid] = useState(false);
  useTitle('Open your order');

  async function claim(password: string) {
    signIn(await call('POST /auth/claim', { body: { claimToken, password } }));
    if (isShown.current) await navigate('/orders', { replace: true });
  }

  if (claimToken === '') {
    return (
      <LinkNeeded>
        <p>
          This page needs the link from your order's mail: open it there once more. <OtherWays />
        </p>
        <ButtonLink to="/login" variant="secondary">
          Sign In
        </ButtonLink>
      </LinkNeeded>
    );
  }
  return (
    <FormPage
      title="Open your order"
      lead="By opening the link we mailed you, you have shown that this address is yours. Choose a password, and your orders are open to you.">
      <NewPasswordForm
        action="Set password and sign in"
        send={claim}
        onFailure={(failure) => setIsInvalid(isLinkInvalid(failure))}
        errorMessage="The password could not be set. Please try again."
        remedy={isInvalid && <OtherWays after=". " />}
      />
    </FormPage>
  );
}

const linkClass = 'font-semibold underline';

const OtherWays = ({ after = '' }) => (
  <>
    {after}If you have chosen a password already,{' '}
    <Link to="/login" className={linkClass}>
      sign in
    </Link>
    . Otherwise{' '}
    <Link to="/find-order" className={linkClass}>
      find your order
    </Link>{' '}
    with its number and a code that we mail you.
  </>
);

const choice = z
  .object(passwordPair('Please provide a password for your account', 'Please confirm the password'))
  .check(passwordsMatch);

interface NewPasswordFormProps {
  action: string;
  send(password: string): Promise<unknown>;
  onFailure(failure: unknown): void;
  errorMessage: string;
  remedy?: ReactNode;
}

function NewPasswordForm({ action, send, onFailure, errorMessage, remedy }: NewPasswordFormProps) {
  const { form, ...fields } = useSendForm({
    schema: choice,
    defaultValues: { password: '', confirmPassword: '' },
    send: ({ password }) => send(password),
    onFailure,
    errorMessage,
  });
  return (
    <Form
      {...form}
      action={action}
      problem={
        form.problem && (
          <>
            {form.problem}
            {remedy}
          </>
        )
      }>
      <NewPasswordFields
        fields={fields}
        {...passwordLimit}
        labels={['New Password', 'Confirm Password']}
        hint="At least 6 characters. It takes the place of any earlier one, and other devices are signed out."
      />
    </Form>
  );
}
