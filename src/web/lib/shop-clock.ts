import { useEffect, useReducer } from 'react';

// The header has whole seconds, and an answer takes its time.
const TOLERANCE_MS = 5_000;

let least = Infinity;
let aheadMs = 0;

/** Learns from an answer of the shop by how much the clock of this device is ahead; a late answer says too much. */
export function learnShopTime(response: Response): Response {
  least = Math.min(least, Date.now() - Date.parse(response.headers.get('Date') ?? '') || 0);
  aheadMs = Math.abs(least) > TOLERANCE_MS ? least : 0;
  return response;
}

/** Returns the shop's time: its offers begin and end by it, whatever the clock here says. */
export const shopNow = (): Date => new Date(Date.now() - aheadMs);

/** Whether the shop has answered on this page, so that shopNow() is its time and not only this device's. */
export const isShopTimeKnown = (): boolean => least !== Infinity;

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
