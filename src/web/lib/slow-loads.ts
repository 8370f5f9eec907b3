import { useSyncExternalStore } from 'react';

/** A press that is answered within this time needs no sign of progress. */
const SLOW_MS = 150;

const slowLoads = new Set<Promise<unknown>>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify() {
  for (const listener of listeners) listener();
}

/** Whether code of a screen has been loading for longer than 150 ms. */
export const useIsLoadSlow = (): boolean => useSyncExternalStore(subscribe, () => slowLoads.size > 0);

export function watchLoad<T>(load: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    slowLoads.add(load);
    notify();
  }, SLOW_MS);
  return load.finally(() => {
    clearTimeout(timer);
    if (slowLoads.delete(load)) notify();
  });
}
