import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from './button.tsx';

interface LoadMoreProps {
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError'> & {
    fetchNextPage(): unknown;
  };
  /** Plural of the entries, as in "The next reviews did not load." */
  of: string;
  label?: string;
}

/** The button below a list that has another page. It also says when that page did not load. */
export const LoadMore = ({ list, of, label = 'Load more' }: LoadMoreProps) =>
  list.hasNextPage && (
    <div className="grid justify-items-center gap-2">
      {list.isFetchNextPageError && (
        <p role="alert" className="text-sm text-danger">
          The next {of} did not load.
        </p>
      )}
      <Button variant="secondary" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
