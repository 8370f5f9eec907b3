import { TriangleAlert } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Stands in for a screen whose code could not be loaded: no connection, or the shop was updated meanwhile. */
export function ScreenFailed() {
  return (
    <EmptyState
      icon={TriangleAlert}
      title="This page could not be loaded"
      heading="h1"
      action={<Button onClick={() => window.location.reload()}>Load the page again</Button>}
    >
      Your cart is safe. Loading the page again usually helps.
    </EmptyState>
  );
}
