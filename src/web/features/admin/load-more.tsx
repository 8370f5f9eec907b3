import { Button } from '../../ui/button.tsx';

interface LoadMoreProps {
  hasMore: boolean;
  isLoading: boolean;
  onLoad(): void;
  label?: string;
}

/** Below a list that goes on. */
export function LoadMore({ hasMore, isLoading, onLoad, label = 'Load more' }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <Button variant="secondary" className="justify-self-center" loading={isLoading} onClick={onLoad}>
      {label}
    </Button>
  );
}
