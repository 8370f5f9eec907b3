import { FlaskConical } from 'lucide-react';
import { useShop } from '../../state/shop.tsx';

/** Out of the page's flow, so that nothing moves when the shop's configuration arrives. */
export function TestModeNotice() {
  if (useShop()?.payments.provider !== 'test-mode') return null;
  return (
    <aside
      aria-label="Test mode"
      className="pointer-events-none fixed bottom-3 left-3 z-30 flex items-center gap-2 rounded-full border border-warning bg-warning-soft px-3 py-1.5 text-xs font-semibold text-warning shadow-lift"
    >
      <FlaskConical aria-hidden className="size-4" />
      <span>
        TEST MODE<span className="font-normal max-sm:sr-only"> · no real money moves</span>
      </span>
    </aside>
  );
}
