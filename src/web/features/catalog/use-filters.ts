import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { Category, SortOption } from '../../../shared/catalog.ts';
import { categories, sortOptions } from '../../../shared/catalog-choices.ts';

const TYPING_PAUSE_MS = 300;

const oneOf = <T extends string>(known: readonly T[], value: string | null): T | undefined =>
  known.find((candidate) => candidate === value);

/** What narrows the list. All of it stands in the address, so that it can be shared and gone back to. */
export function useFilters() {
  const [params, setParams] = useSearchParams();
  const { pathname } = useLocation();
  const search = params.get('q') ?? '';
  const category = oneOf(categories, params.get('category'));
  const sort = oneOf(sortOptions, params.get('sort')) ?? 'featured';
  const [typed, setTyped] = useState(search);
  const written = useRef(search);

  // Going back changes the address without typing.
  useEffect(() => {
    if (search !== written.current) setTyped(search);
    written.current = search;
  }, [search]);

  function change(name: string, value: string, replace: boolean) {
    setParams(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace, preventScrollReset: true },
    );
  }

  useEffect(() => {
    if (typed === written.current) return;
    const timer = setTimeout(() => {
      // Whoever has just pressed a product is on the way there, and must not be called back.
      if (window.location.pathname !== pathname) return;
      written.current = typed;
      change('q', typed, true);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  });

  return {
    /** What stands in the search box now; `search` follows when the typing pauses. */
    typed,
    search,
    category,
    sort,
    type: setTyped,
    chooseCategory: (chosen: Category | '') => change('category', chosen, false),
    chooseSort: (chosen: SortOption) => change('sort', chosen === 'featured' ? '' : chosen, false),
    reset() {
      written.current = '';
      setTyped('');
      setParams({});
    },
  };
}

export type Filters = ReturnType<typeof useFilters>;
