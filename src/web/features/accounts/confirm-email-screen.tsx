import { useMutation } from '@tanstack/react-query';
import { MailCheck, MailWarning } from 'lucide-react';
import { Link } from 'react-router';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { storage } from '../../lib/storage.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useSession } from '../../state/session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FormPage, FormProblem } from '../../ui/form-page.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useLinkToken } from './use-link-token.ts';

/** The account may have changed to the address. It is confirmed even when it cannot be read just now. */
function renewUser() {
  call('GET /auth/me').then(
    ({ data }) => storage.user.write(data),
    () => undefined,
  );
}

/**
 * Opened from the link that proves an address, for the account that asked for it. It waits for a press, as mail filters
 * open links before people do.
 */
export function ConfirmEmailScreen() {
  const confirmToken = useLinkToken();
  const { status } = useSession();
  const confirm = useMutation({
    mutationFn: async () => (await call('POST /auth/confirmemail', { body: { confirmToken } })).data,
    onSuccess: renewUser,
  });
  useTitle('Confirm your email');

  if (confirm.data) {
    return (
      <Notice icon={MailCheck} tone="success" title="Email confirmed">
        <p>
          <strong className="wrap-anywhere">{confirm.data.email}</strong> is proven to be yours. Orders paid
          with it come into your account.
        </p>
        <Link to="/orders" className={buttonClass()}>
          My Orders
        </Link>
      </Notice>
    );
  }
  const isOver = confirm.error instanceof CallError && confirm.error.code === 'LINK_INVALID';
  if (confirmToken === '' || isOver) {
    return (
      <Notice
        icon={MailWarning}
        tone="warning"
        title={isOver ? 'This link has been used or has expired' : 'Open the link in your mail'}
      >
        <p>
          If you have pressed the button before, your address is confirmed. A new link can be asked for in
          your profile.
        </p>
        <Link to="/profile" className={buttonClass()}>
          My Profile
        </Link>
      </Notice>
    );
  }
  if (status === 'signed-out') {
    return (
      <FormPage
        title="Confirm your email"
        lead="Sign in to the account that asked for this link, with the address it has now, and you come back here. If you did not ask for it, do nothing, and nothing changes."
      >
        <Link
          to="/login"
          replace
          // Waits in the login's history entry, where it is of use to its own account alone.
          state={{ from: `/confirm-email?token=${confirmToken}` }}
          className={buttonClass('primary', 'lg')}
        >
          Sign in to confirm
        </Link>
      </FormPage>
    );
  }
  return (
    <FormPage
      title="Confirm your email"
      lead="One press, and the address that the link was mailed to is proven to be yours."
    >
      <FormProblem>{confirm.error && messageOf(confirm.error, 'Verification failed')}</FormProblem>
      <Button size="lg" loading={confirm.isPending || status === 'loading'} onClick={() => confirm.mutate()}>
        Confirm my email
      </Button>
    </FormPage>
  );
}
