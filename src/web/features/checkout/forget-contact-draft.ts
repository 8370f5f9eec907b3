import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { clearStored } from '../../lib/stored-value.ts';

/** Storage key of contact-draft.ts, which is not imported here because it is loaded with the checkout only. */
export const DRAFT_KEY = 'checkoutContact';

/** Deletes the draft once the shopper opens another screen than the checkout. */
export function useForgetContactDraft(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== '/checkout') clearStored(DRAFT_KEY);
  }, [pathname]);
}
