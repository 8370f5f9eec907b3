import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { call } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useSession } from '../../state/session.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { FormPage } from '../../ui/form-page.tsx';
import { isLinkInvalid, LinkNeeded, NewPasswordForm, useLinkToken } from './mailed-link.tsx';

/** Opened by the link in the mail of a guest's order. */
export function ClaimScreen() {
  const claimToken = useLinkToken();
  const { signIn } = useSession();
  const navigate = useNavigate();
  const [isInvalid, setIsInvalid] = useState(false);
  useTitle('Open your order');

  async function claim(password: string) {
    signIn(await call('POST /auth/claim', { body: { claimToken, password } }));
    await navigate('/orders', { replace: true });
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
        errorMessage="Verification failed"
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
