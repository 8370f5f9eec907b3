import { day } from '../../../shared/paging.ts';
import { useTyped } from '../../lib/use-typed.ts';
import { useDashboardUrl } from './dashboard-url.ts';

const none = { q: '', from: '', to: '' };
const dayOf = (text: string) => (day.safeParse(text).success ? text : '');

/** What narrows a list, its words and its first and last day; `query` as the server is asked for it. */
export function useTypedFilters() {
  const { get, set } = useDashboardUrl();
  const [q, from, to] = [get('q'), dayOf(get('from')), dayOf(get('to'))];
  const { typed, type, overwrite } = useTyped({ q, from, to }, set);

  const search = q.trim();
  return {
    typed,
    query: { ...(search && { q: search }), ...(from && { from }), ...(to && { to }) },
    type,
    isNarrowed: Object.values(typed).some((text) => text !== ''),
    /** All of it, and the status that may be chosen beside it. */
    clear() {
      overwrite(none);
      set({ ...none, status: '' });
    },
  };
}

/** The words alone, for a list without days. */
export function useSearch() {
  const { typed, query, type, clear } = useTypedFilters();
  return { typed: typed.q, search: query.q ?? '', type: (q: string) => type({ q }), clear };
}
