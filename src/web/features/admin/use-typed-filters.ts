import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { day } from '../../../shared/paging.ts';
import { useDashboardUrl } from './dashboard-url.ts';

const TYPING_PAUSE_MS = 300;

/** What is typed to narrow a list: words, and its first and last day. */
export interface Typed {
  q: string;
  from: string;
  to: string;
}

const none: Typed = { q: '', from: '', to: '' };
const dayOf = (text: string) => (day.safeParse(text).success ? text : '');
const same = (one: Typed, other: Typed) =>
  one.q === other.q && one.from === other.from && one.to === other.to;

/** `typed` at every key; `query`, as the server is asked, when the typing pauses. It stands in the address. */
export function useTypedFilters() {
  const { get, set } = useDashboardUrl();
  const { pathname } = useLocation();
  const [q, from, to] = [get('q'), dayOf(get('from')), dayOf(get('to'))];
  const [typed, setTyped] = useState<Typed>({ q, from, to });
  const written = useRef(typed);

  // A link or the back button changes the address without typing.
  useEffect(() => {
    const address = { q, from, to };
    if (same(written.current, address)) return;
    written.current = address;
    setTyped(address);
  }, [q, from, to]);

  useEffect(() => {
    if (same(typed, written.current)) return;
    const timer = setTimeout(() => {
      // Whoever has just pressed an entry is on the way to its page, and must not be called back.
      if (window.location.pathname !== pathname) return;
      written.current = typed;
      set({ ...typed });
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, set, pathname]);

  const search = q.trim();
  return {
    typed,
    query: { ...(search && { q: search }), ...(from && { from }), ...(to && { to }) },
    type: (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change })),
    isNarrowed: !same(typed, none),
    /** All of it, and the status that may be chosen beside it. */
    clear() {
      written.current = none;
      setTyped(none);
      set({ ...none, status: '' });
    },
  };
}

/** The words alone, for a list without days. */
export function useSearch() {
  const { typed, query, type, clear } = useTypedFilters();
  return { typed: typed.q, search: query.q ?? '', type: (q: string) => type({ q }), clear };
}
