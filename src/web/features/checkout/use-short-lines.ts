import { useEffect } from 'react';
import { useCart } from '../../state/cart.tsx';
import { type CartLine, stockNote } from '../../state/cart-prices.ts';

const LOOK_AGAIN_EVERY_MS = 15_000;

/**
 * The lines of which the cart holds more than there is, once the shop has refused it for that: before, what seems to be
 * missing may be what this browser's own unfinished payment holds. `onMended` is called when there are none any more.
 */
export function useShortLines(isRefused: boolean, onMended: () => void): CartLine[] {
  const { lines, refresh } = useCart();
  const short = isRefused ? lines.filter((line) => stockNote(line) !== undefined) : [];
  const isShort = short.length > 0;
  // What another buyer holds and does not pay comes back. A look that fails is made up for by the next.
  useEffect(() => {
    if (!isShort) return;
    const timer = setInterval(() => void refresh().catch(() => undefined), LOOK_AGAIN_EVERY_MS);
    return () => {
      clearInterval(timer);
      onMended();
    };
  }, [isShort, refresh, onMended]);
  return short;
}
