import { useEffect, useRef, useState } from 'react';
import { useDashboardUrl } from './dashboard-url.ts';

const TYPING_PAUSE_MS = 300;

/** What a list is searched for: `typed` at every key, `search` in the address when the typing pauses. */
export function useSearch() {
  const { get, set } = useDashboardUrl();
  const search = get('q');
  const [typed, setTyped] = useState(search);
  const written = useRef(search);

  // A link or the back button changes the address without typing.
  useEffect(() => {
    if (search !== written.current) setTyped(search);
    written.current = search;
  }, [search]);

  useEffect(() => {
    if (typed === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed;
      set({ q: typed });
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, set]);

  return {
    typed,
    search: search.trim(),
    type: setTyped,
    clear() {
      written.current = '';
      setTyped('');
      set({ q: '' });
    },
  };
}
