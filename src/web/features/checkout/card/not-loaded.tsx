import { Button } from '../../../ui/button.tsx';

export const NOT_LOADED = 'Stripe not loaded';

/** In the place of the card form when it could not be fetched. */
export function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center justify-between gap-3 text-danger">
      {NOT_LOADED}
      <Button size="sm" variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
