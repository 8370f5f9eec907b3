import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { PAGE_DATA_ELEMENT, type PageData } from '../../shared/pages.ts';

const embedded = document.getElementById(PAGE_DATA_ELEMENT)?.textContent;

/** The data that the server embeds in the HTML for the first screen; undefined on a page that Vite serves. */
export const pageData: PageData | undefined = embedded ? JSON.parse(embedded) : undefined;

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

  // Before the paint: later, it would take the focus from what the user has reached by keyboard.
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

const TYPING_PAUSE_MS = 300;

/** Returns a typed value that follows when typing pauses, and a function that sets it at once. */
export function useDebounced<Value>(value: Value) {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return [debounced, setDebounced] as const;
}

const isSame = <Fields extends Record<string, string>>(one: Fields, other: Fields) =>
  Object.keys(one).every((name) => one[name] === other[name]);

/**
 * The filters of a list while they are typed. `typed` changes with every key; `write` updates the URL when typing
 * pauses, or with the next click. `current` has the values in the URL. `overwrite` is for callers that change the URL
 * themselves.
 */
export function useDebouncedParams<Fields extends Record<string, string>>(
  current: Fields,
  write: (typed: Fields) => void,
) {
  const { pathname } = useLocation();
  const [typed, setTyped] = useState(current);
  const written = useRef(current);
  const key = JSON.stringify(current);
  const inUrl = useMemo(() => JSON.parse(key) as Fields, [key]);

  function overwrite(fields: Fields) {
    written.current = fields;
    setTyped(fields);
  }

  // A link or the back button changes the URL without typing.
  useEffect(() => {
    if (isSame(written.current, inUrl)) return;
    written.current = inUrl;
    setTyped(inUrl);
  }, [inUrl]);

  useEffect(() => {
    if (isSame(typed, written.current)) return;
    const writeNow = () => {
      stop();
      // The visitor has opened another page meanwhile and must not be sent back.
      if (window.location.pathname !== pathname) return;
      written.current = typed;
      write(typed);
    };
    const timer = setTimeout(writeNow, TYPING_PAUSE_MS);
    // Runs before a clicked link navigates, so that Back returns to the list with the typed filters.
    window.addEventListener('click', writeNow, { capture: true });
    function stop() {
      clearTimeout(timer);
      window.removeEventListener('click', writeNow, { capture: true });
    }
    return stop;
  });

  return { typed, type: (change: Partial<Fields>) => setTyped((before) => ({ ...before, ...change })), overwrite };
}

/** The URL's query with `changes`; '' removes a name. Reads the URL, as a recent change may not be rendered yet. */
export function changedParams(changes: Record<string, string>): URLSearchParams {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  return query;
}
