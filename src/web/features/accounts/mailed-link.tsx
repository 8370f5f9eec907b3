import { MailWarning } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import * as z from 'zod/mini';
import { codeOf } from '../../lib/api-client.ts';
import { passwordLimit, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { useSendForm } from '../../lib/use-send-form.ts';
import { Form, Notice } from '../../ui/form-page.tsx';
import { NewPasswordFields } from '../../ui/text-fields.tsx';

const choice = z.object(passwordPair('Please provide a password for your account')).check(passwordsMatch);

interface NewPasswordFormProps {
  action: string;
  send(password: string): Promise<unknown>;
  onFailure(failure: unknown): void;
  errorMessage: string;
  /** Follows the message of a failure. */
  remedy?: ReactNode;
}

/** The form in which a visitor who opened a mailed link chooses a new password. */
export function NewPasswordForm({ action, send, onFailure, errorMessage, remedy }: NewPasswordFormProps) {
  const { register, formState, form } = useSendForm({
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
        register={register}
        formState={formState}
        {...passwordLimit}
        labels={['New Password', 'Confirm Password']}
        hint="At least 6 characters. It takes the place of any earlier one, and other devices are signed out."
      />
    </Form>
  );
}

/** The token of the mailed link that opened this screen, or ''. The token is removed from the URL and from the history. */
export function useLinkToken(): string {
  const [search] = useSearchParams();
  const [token] = useState(() => search.get('token') ?? '');
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (window.location.search !== '') void navigate(pathname, { replace: true });
  }, [pathname, navigate]);
  return token;
}

/** Whether the shop refused a link because it was used before or has expired. */
export const isLinkInvalid = (failure: unknown) => codeOf(failure) === 'LINK_INVALID';

/** Replaces a screen that was opened without a link, or with an invalid one. */
export function LinkNeeded({ isInvalid = false, children }: { isInvalid?: boolean; children: ReactNode }) {
  const title = isInvalid ? 'This link has been used or has expired' : 'Open the link in your mail';
  return (
    <Notice icon={MailWarning} tone="warning" title={title}>
      {children}
    </Notice>
  );
}
