import { MailWarning } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { storage } from '../../lib/storage.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useToasts } from '../../state/toasts.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { FormPage } from '../../ui/form-page.tsx';
import { Notice } from '../../ui/notice.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { useLinkToken } from './use-link-token.ts';

/** Opened from the link in the mail for a forgotten password. */
export function ResetPasswordScreen() {
  const resetToken = useLinkToken();
  const navigate = useNavigate();
  const { show } = useToasts();
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setIsOver] = useState(false);
  useTitle('New password');

  async function reset(password: string) {
    setProblem(null);
    try {
      const { data } = await call('POST /auth/resetpassword', { body: { resetToken, password } });
      // Every session of the account has ended, one in this browser too.
      storage.token.clear();
      storage.user.clear();
      show({ type: 'success', message: 'Your password is changed. Sign in with the new one.' });
      await navigate('/login', { replace: true, state: { email: data.email } });
    } catch (failure) {
      if (failure instanceof CallError && failure.code === 'LINK_INVALID') setIsOver(true);
      else setProblem(messageOf(failure, 'Failed to update password'));
    }
  }

  if (isOver) return <LinkNeeded title="This link has been used or has expired" />;
  if (resetToken === '') return <LinkNeeded title="Open the link in your mail" />;
  return (
    <FormPage title="New password" lead="Choose a new password for your account.">
      <NewPasswordForm submitLabel="Change password" onChosen={reset} problem={problem} />
    </FormPage>
  );
}

function LinkNeeded({ title }: { title: string }) {
  return (
    <Notice icon={MailWarning} tone="warning" title={title}>
      <p>A link for a new password works once, within an hour of asking for it.</p>
      <Link to="/forgot-password" className={buttonClass()}>
        Ask for a new link
      </Link>
    </Notice>
  );
}
