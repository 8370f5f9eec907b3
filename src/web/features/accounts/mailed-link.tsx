import { MailWarning } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { codeOf } from '../../lib/api-client.ts';
import { Notice } from '../../ui/form-page.tsx';

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
