import { useEffect, useReducer } from 'react';
import { shopNow } from './shop-clock.ts';

/** Returns the shop's time of this rendering in milliseconds since 1970. While `ticking`, the component renders every second. */
export function useNow(ticking: boolean): number {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  // Not the time of the last tick: data that is loaded later may have an offer that started since.
  return shopNow().getTime();
}
