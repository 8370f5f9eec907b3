import { useEffect } from 'react';
import { useCart } from '../../state/cart.tsx';
import { type CartLine, stockNote } from '../../state/cart-prices.ts';

const LOOK_AGAIN_EVERY_MS = 15_000;

/** The lines of which the cart holds more than there is. `onMended` is called when there are none any more. */
export function useShortLines(onMended: () => void): CartLine[] {
  const { lines, refresh } = useCart();
  const short = lines.filter((line) => stockNote(line) !== undefined);
  const isShort = short.length > 0;
  // What another buyer holds and does not pay comes back. A look that fails is made up for by the next. The first comes at
  // once: what made the line short may not have counted what this browser's own unpaid order holds.
  useEffect(() => {
    if (!isShort) return;
    const look = () => void refresh().catch(() => undefined);
    look();
    const timer = setInterval(look, LOOK_AGAIN_EVERY_MS);
    return () => {
      clearInterval(timer);
      onMended();
    };
  }, [isShort, refresh, onMended]);
  return short;
}
