import { useEffect, useRef, useState } from 'react';
import { type OrderStatus, orderStatus } from '../../../../shared/orders.ts';
import { day } from '../../../../shared/paging.ts';
import { useDashboardUrl } from '../dashboard-url.ts';

const TYPING_PAUSE_MS = 300;

interface Typed {
  q: string;
  from: string;
  to: string;
}

const dayOf = (text: string) => (day.safeParse(text).success ? text : '');
const same = (one: Typed, other: Typed) =>
  one.q === other.q && one.from === other.from && one.to === other.to;

/** What narrows the list of orders. All of it stands in the address; what is typed gets there when the typing pauses. */
export function useOrderFilters() {
  const { get, set } = useDashboardUrl();
  const status = orderStatus.options.find((known) => known === get('status')) ?? '';
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
      written.current = typed;
      set({ ...typed });
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, set]);

  return {
    /** What stands in the fields now; `query` follows when the typing pauses. */
    typed,
    status: status as OrderStatus | '',
    /** As the server is asked: nothing stands for all. */
    query: { ...(q && { q }), ...(from && { from }), ...(to && { to }), ...(status && { status }) },
    isNarrowed: Boolean(typed.q || typed.from || typed.to || status),
    type: (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change })),
    chooseStatus: (chosen: string) => set({ status: chosen }),
    clear() {
      const none = { q: '', from: '', to: '' };
      setTyped(none);
      written.current = none;
      set({ ...none, status: '' });
    },
  };
}

export type OrderFilters = ReturnType<typeof useOrderFilters>;
