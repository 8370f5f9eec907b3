import { useEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';

/** The token of the mailed link that opened this screen, or ''. It is taken out of the address bar, history and bookmarks. */
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
