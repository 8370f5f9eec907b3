import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { call, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useSession } from '../../state/session.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { FormPage } from '../../ui/form-page.tsx';
import { isLinkInvalid, LinkNeeded, NewPasswordForm, useLinkToken } from './mailed-link.tsx';

/** Opened by the link in the mail of a guest's order. */
export function ClaimScreen() {
  const claimToken = useLinkToken();
  useTitle('Open your order');
  if (claimToken !== '') return <Claim claimToken={claimToken} />;
  return (
    <LinkNeeded>
      <p>
        This page needs the link from your order's mail: open it there once more. <OtherWays />
      </p>
      <Link to="/login" className={buttonClass('secondary')}>
        Sign In
      </Link>
    </LinkNeeded>
  );
}

function Claim({ claimToken }: { claimToken: string }) {
  const { signIn } = useSession();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<ReactNode>(null);

  async function claim(password: string) {
    setProblem(null);
    try {
      signIn(await call('POST /auth/claim', { body: { claimToken, password } }));
      await navigate('/orders', { replace: true });
    } catch (failure) {
      const message = messageOf(failure, 'Verification failed');
      setProblem(
        isLinkInvalid(failure) ? (
          <>
            {message}. <OtherWays />
          </>
        ) : (
          message
        ),
      );
    }
  }

  return (
    <FormPage
      title="Open your order"
      lead="By opening the link we mailed you, you have shown that this address is yours. Choose a password, and your orders are open to you.">
      <NewPasswordForm submitLabel="Set password and sign in" onChosen={claim} problem={problem} />
    </FormPage>
  );
}

const linkClass = 'font-semibold underline';

function OtherWays() {
  return (
    <>
      If you have chosen a password already,{' '}
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
}
