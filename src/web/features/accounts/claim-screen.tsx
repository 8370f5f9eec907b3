import { MailWarning } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { useTitle } from '../../lib/use-title.ts';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ClaimForm } from './claim-form.tsx';

/** Opened from the link in an order's mail. The token is kept out of the address bar, history and bookmarks. */
export function ClaimScreen() {
  const [search] = useSearchParams();
  const [claimToken] = useState(() => search.get('token') ?? '');
  const navigate = useNavigate();
  useTitle('Open your order');

  useEffect(() => {
    if (window.location.search !== '') void navigate('/claim', { replace: true });
  }, [navigate]);

  if (claimToken !== '') return <ClaimForm claimToken={claimToken} />;
  return (
    <EmptyState
      heading="h1"
      icon={MailWarning}
      title="Open the link in your mail"
      action={
        <Link to="/login" className={buttonClass('secondary')}>
          Sign In
        </Link>
      }
    >
      This page needs the link from your order's mail. Open it there once more.
    </EmptyState>
  );
}
