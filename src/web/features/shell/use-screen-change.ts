import { useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** State of a link that leads to the top of its page, also when that page is already shown. */
export const toTop = { toTop: true };

const leadsToTop = (state: unknown) => typeof state === 'object' && state !== null && 'toTop' in state;

/** A new screen starts at its top, with the reader's focus on it. Going back keeps the place the browser remembers. */
export function useScreenChange() {
  const main = useRef<HTMLElement>(null);
  const { pathname, key, state } = useLocation();
  const navigation = useNavigationType();
  const shown = useRef({ pathname, key });

  useEffect(() => {
    const before = shown.current;
    if (before.key === key) return;
    shown.current = { pathname, key };
    const isNewScreen = before.pathname !== pathname;
    if (isNewScreen) main.current?.focus({ preventScroll: true });
    if (navigation !== 'POP' && (isNewScreen || leadsToTop(state))) window.scrollTo(0, 0);
  }, [pathname, key, state, navigation]);

  return main;
}
