import { type ReactNode, useCallback, useEffect, useId, useState } from 'react';
import { Callout, Card } from '../../../ui/display.tsx';

interface ProfileCardProps {
  title: string;
  /** A status or a button beside the title. */
  aside?: ReactNode;
  children: ReactNode;
}

export function ProfileCard({ title, aside, children }: ProfileCardProps) {
  const titleId = useId();
  return (
    <Card role="region" aria-labelledby={titleId} className="grid grid-cols-1 gap-5 p-6 sm:p-8">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
        <h2 id={titleId} className="text-xl">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </Card>
  );
}

const CLEARS_AFTER_MS = 3000;

/** A message for SuccessMessage that disappears after 3 s. */
export function useSuccess() {
  // An object, so that repeating the same message restarts the timer.
  const [shown, setShown] = useState<{ message: string } | null>(null);
  useEffect(() => {
    if (shown === null) return;
    const timer = setTimeout(() => setShown(null), CLEARS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const showSuccess = useCallback((message: string) => setShown({ message }), []);
  return { success: shown?.message, showSuccess };
}

export function SuccessMessage({ children }: { children: string | undefined }) {
  // Stays in the page while empty, because screen readers announce only changes of an existing region.
  return (
    <Callout role="status" tone="success" className="empty:sr-only">
      {children}
    </Callout>
  );
}
