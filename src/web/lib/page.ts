import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { PAGE_DATA_ELEMENT, type PageData } from '../../shared/pages.ts';

function readPageData(): PageData | undefined {
  const text = document.getElementById(PAGE_DATA_ELEMENT)?.textContent;
  return text ? JSON.parse(text) : undefined;
}

/** The data that the server embeds in the HTML for the first screen; undefined on a page that Vite serves. */
export const pageData = readPageData();

export function useTitle(screen: string) {
  useEffect(() => {
    document.title = `${screen} · ${pageData?.shop.storeName ?? 'Kedai'}`;
  }, [screen]);
}

/** State of a link that scrolls to the top, even when its page is already open. */
export const toTop = { toTop: true };

const leadsToTop = (state: unknown) => typeof state === 'object' && state !== null && 'toTop' in state;

/** Scrolls a new screen to its top and focuses it. Back keeps the scroll position that the browser restores. */
export function useScreenChange() {
  const main = useRef<HTMLElement>(null);
  const { pathname, key, state } = useLocation();
  const navigation = useNavigationType();
  const shown = useRef({ pathname, key });

  // Before the screen is painted: later, this would take the focus from an element that the user has already reached by
  // keyboard.
  useLayoutEffect(() => {
    const before = shown.current;
    if (before.key === key) return;
    shown.current = { pathname, key };
    const isNewScreen = before.pathname !== pathname;
    if (isNewScreen) main.current?.focus({ preventScroll: true });
    if (navigation !== 'POP' && (isNewScreen || leadsToTop(state))) window.scrollTo(0, 0);
  }, [pathname, key, state, navigation]);

  return main;
}
