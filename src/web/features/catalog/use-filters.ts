import { useSearchParams } from 'react-router';
import type { Category, SortOption } from '../../../shared/catalog.ts';
import { categories, sortOptions } from '../../../shared/catalog-choices.ts';
import { changedParams, useDebouncedParams } from '../../lib/url-params.ts';

const oneOf = <T extends string>(known: readonly T[], value: string | null): T | undefined =>
  known.find((candidate) => candidate === value);

/**
 * What narrows the list. All of it stands in the address, so that it can be shared and gone back to. `onNarrow` is called when
 * the shopper changes any of it.
 */
export function useFilters(onNarrow: () => void) {
  const [params, setParams] = useSearchParams();
  const search = params.get('q') ?? '';
  const category = oneOf(categories, params.get('category'));
  const sort = oneOf(sortOptions, params.get('sort')) ?? 'featured';
  const { typed, type, overwrite } = useDebouncedParams({ q: search }, (words) => change(words, true));

  function change(changes: Record<string, string>, replace: boolean) {
    setParams(changedParams(changes), { replace, preventScrollReset: true });
  }

  function choose(changes: Record<string, string>) {
    change(changes, false);
    onNarrow();
  }

  return {
    /** What stands in the search box now; `search` follows when the typing pauses. */
    typed: typed.q,
    search,
    category,
    sort,
    type(q: string) {
      type({ q });
      onNarrow();
    },
    chooseCategory: (chosen: Category | '') => choose({ category: chosen }),
    chooseSort: (chosen: SortOption) => choose({ sort: chosen === 'featured' ? '' : chosen }),
    reset() {
      overwrite({ q: '' });
      setParams({});
      onNarrow();
    },
  };
}

export type Filters = ReturnType<typeof useFilters>;
