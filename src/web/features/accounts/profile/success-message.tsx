import { useCallback, useEffect, useState } from 'react';

const CLEARS_AFTER_MS = 3000;

/** Words on what was done, which go by themselves; for a SuccessMessage. */
export function useSuccess() {
  // An object, so that the same words again stand their full time.
  const [said, setSaid] = useState<{ message: string } | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), CLEARS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const say = useCallback((message: string) => setSaid({ message }), []);
  return { success: said?.message, say };
}

export function SuccessMessage({ children }: { children: string | undefined }) {
  // Empty it takes no room, but stays known to screen readers, which else would not read out what comes into it.
  return (
    <p role="status" className="rounded-md bg-success-soft px-4 py-3 text-success empty:sr-only">
      {children}
    </p>
  );
}
