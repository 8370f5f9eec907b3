import { useLocation } from 'react-router';

/** Where the list of products stands in the history of this tab: its address, and how many screens back. */
interface ListPlace {
  list: string;
  steps: number;
}

function placeIn(state: unknown): ListPlace | undefined {
  if (typeof state !== 'object' || state === null || !('list' in state) || !('steps' in state))
    return undefined;
  const { list, steps } = state;
  return typeof list === 'string' && typeof steps === 'number' ? { list, steps } : undefined;
}

/** The list this screen was reached from, product by product; undefined for who came by another way. */
export const useListPlace = (): ListPlace | undefined => placeIn(useLocation().state);

/** What a link to a product hands on, so that its page leads back to the very place in the list. */
export function useStateOfProductLink(): ListPlace | undefined {
  const { pathname, search, state } = useLocation();
  if (pathname === '/') return { list: pathname + search, steps: 1 };
  const place = placeIn(state);
  return place && { list: place.list, steps: place.steps + 1 };
}
