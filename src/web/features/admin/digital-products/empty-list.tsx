import { EyeOff, PackagePlus, SearchX } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';

interface EmptyListProps {
  term: string;
  hidden: number;
  onClear(): void;
  onShowAll(): void;
  onAdd(): void;
}

/** Why there is nothing to see, and the way on. */
export function EmptyList({ term, hidden, onClear, onShowAll, onAdd }: EmptyListProps) {
  if (term !== '') {
    return (
      <EmptyState
        icon={SearchX}
        heading="h3"
        title={`No products found matching "${term}"`}
        action={
          <Button variant="secondary" onClick={onClear}>
            Clear search
          </Button>
        }
      />
    );
  }
  if (hidden > 0) {
    return (
      <EmptyState
        icon={EyeOff}
        heading="h3"
        title="No active products to display"
        action={
          <Button variant="secondary" onClick={onShowAll}>
            Show all products
          </Button>
        }
      >
        {hidden} inactive products hidden
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={PackagePlus}
      heading="h3"
      title="No digital products yet"
      action={<Button onClick={onAdd}>Add Your First Product</Button>}
    />
  );
}
