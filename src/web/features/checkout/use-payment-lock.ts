import { useEffect, useRef } from 'react';

type Work = (hasWaited: boolean) => Promise<void>;

/**
 * Runs `work` while no other tab of this browser is paying. If another tab is paying, calls `onWait`, and runs `work`
 * once that tab has finished or was closed, unless the buyer has left this screen by then. Browsers provide locks only
 * on secure origins; elsewhere `work` runs at once.
 */
export function usePaymentLock() {
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  return async function withPaymentLock(work: Work, onWait: () => void): Promise<void> {
    if (!('locks' in navigator)) return work(false);
    let hasBegun = false;
    const begin: Work = (hasWaited) => {
      hasBegun = true;
      return work(hasWaited);
    };
    const { signal } = leaving.current;
    try {
      await navigator.locks.request('payment', { ifAvailable: true }, (lock) => (lock ? begin(false) : onWait()));
      if (!hasBegun) await navigator.locks.request('payment', { signal }, () => begin(true));
    } catch (failure) {
      if (hasBegun || signal.aborted) throw failure;
      await work(false);
    }
  };
}
