import { useSyncExternalStore } from 'react';

// The Date header has whole seconds, and a response takes time to arrive.
const TOLERANCE_MS = 5_000;

let smallestAheadMs = Infinity;
let aheadMs = 0;

/** Measures how far this device's clock is ahead of the shop's. A delayed response makes the difference too large. */
export function learnShopTime(response: Response): Response {
  smallestAheadMs = Math.min(smallestAheadMs, Date.now() - Date.parse(response.headers.get('Date') ?? '') || 0);
  aheadMs = Math.abs(smallestAheadMs) > TOLERANCE_MS ? smallestAheadMs : 0;
  return response;
}

/** Returns the shop's time, by which offers begin and end, even if the clock of this device is wrong. */
export const shopNow = (): Date => new Date(Date.now() - aheadMs);

/** Whether the shop has responded since the page was loaded. Before that, shopNow() is only the time of this device. */
export const isShopTimeKnown = (): boolean => smallestAheadMs !== Infinity;

/** What `read` makes of the shop's time in ms. While `ticking`, it is read every second, and a new result rendered. */
export const useClock = <T extends string | number>(read: (now: number) => T, ticking = true): T =>
  useSyncExternalStore(ticking ? everySecond : never, () => read(shopNow().getTime()));

function everySecond(tick: () => void) {
  const timer = setInterval(tick, 1000);
  return () => clearInterval(timer);
}

const never = () => () => undefined;
