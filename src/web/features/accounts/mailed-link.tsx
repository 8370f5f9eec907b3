import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { MailWarning } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import * as z from 'zod/mini';
import { CallError } from '../../lib/api-client.ts';
import { passwordLimit, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { Button } from '../../ui/button.tsx';
import { FormProblem, Notice } from '../../ui/form-page.tsx';
import { NewPasswordFields } from '../../ui/text-fields.tsx';

const choice = z.object(passwordPair('Please provide a password for your account')).check(passwordsMatch);

interface NewPasswordFormProps {
  submitLabel: string;
  onChosen(password: string): Promise<void>;
  problem: ReactNode;
}

/** The form in which a visitor who opened a mailed link chooses a new password. */
export function NewPasswordForm({ submitLabel, onChosen, problem }: NewPasswordFormProps) {
  const { register, handleSubmit, formState } = useForm<z.infer<typeof choice>>({
    resolver: standardSchemaResolver(choice),
    mode: 'onTouched',
    defaultValues: { password: '', confirmPassword: '' },
  });
  const choose = handleSubmit(async ({ password }) => {
    if (!formState.isSubmitting) await onChosen(password);
  });
  return (
    <form noValidate onSubmit={(event) => void choose(event)} className="grid gap-4">
      <NewPasswordFields
        register={register}
        formState={formState}
        {...passwordLimit}
        labels={['New Password', 'Confirm Password']}
        hint="At least 6 characters. It takes the place of any earlier one, and other devices are signed out."
      />
      <FormProblem>{problem}</FormProblem>
      <Button type="submit" size="lg" loading={formState.isSubmitting}>
        {submitLabel}
      </Button>
    </form>
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
export const isLinkInvalid = (failure: unknown) => failure instanceof CallError && failure.code === 'LINK_INVALID';

/** Replaces a screen that was opened without a link, or with an invalid one. */
export function LinkNeeded({ isInvalid = false, children }: { isInvalid?: boolean; children: ReactNode }) {
  const title = isInvalid ? 'This link has been used or has expired' : 'Open the link in your mail';
  return (
    <Notice icon={MailWarning} tone="warning" title={title}>
      {children}
    </Notice>
  );
}
