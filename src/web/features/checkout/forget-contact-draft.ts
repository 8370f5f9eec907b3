import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { CONTACT_DRAFT, clearStored } from '../../lib/stored-value.ts';

/** Deletes the draft once the shopper opens another screen than the checkout, or the login on the way back to it. */
export function useForgetContactDraft(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== '/checkout' && pathname !== '/login') clearStored(CONTACT_DRAFT);
  }, [pathname]);
}
