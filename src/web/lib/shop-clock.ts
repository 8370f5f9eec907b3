import { useSyncExternalStore } from 'react';

// The Date header has whole seconds, and a response takes time to arrive.
const TOLERANCE_MS = 5_000;

let smallestAheadMs = Infinity;
let aheadMs = 0;

/**
 * Measures how far the clock of this device is ahead of the shop's Date header. Keeps the smallest value, because a
 * delayed response makes the difference too large.
 */
export function learnShopTime(response: Response): Response {
  smallestAheadMs = Math.min(smallestAheadMs, Date.now() - Date.parse(response.headers.get('Date') ?? '') || 0);
  aheadMs = Math.abs(smallestAheadMs) > TOLERANCE_MS ? smallestAheadMs : 0;
  return response;
}

/** Returns the shop's time, by which offers begin and end, even if the clock of this device is wrong. */
export const shopNow = (): Date => new Date(Date.now() - aheadMs);

/** Whether the shop has responded since the page was loaded. Before that, shopNow() is only the time of this device. */
export const isShopTimeKnown = (): boolean => smallestAheadMs !== Infinity;

/**
 * Returns what `read` makes of the shop's time, in milliseconds since 1970. While `ticking`, it is read again every second,
 * and the component renders when the result has changed.
 */
export const useClock = <T extends string | number>(read: (now: number) => T, ticking = true): T =>
  useSyncExternalStore(ticking ? everySecond : never, () => read(shopNow().getTime()));

function everySecond(tick: () => void) {
  const timer = setInterval(tick, 1000);
  return () => clearInterval(timer);
}

const never = () => () => undefined;
