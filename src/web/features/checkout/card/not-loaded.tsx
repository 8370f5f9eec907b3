import { CircleAlert } from 'lucide-react';
import { Callout } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';

export const NOT_LOADED = 'Stripe not loaded';

/** Replaces a card form that could not be loaded. */
export function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <Callout role="alert" tone="danger" className="flex flex-wrap items-center gap-2">
      <CircleAlert aria-hidden className="size-5 shrink-0" />
      <span className="mr-auto">{NOT_LOADED}</span>
      <Button size="sm" variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </Callout>
  );
}
