import { useEffect, useRef } from 'react';

const LOCK = 'payment';

type Work = (hasWaited: boolean) => Promise<void>;

/**
 * Does `work` while no other tab of this browser pays. When one does, `onWait` is called, and the work begins once that
 * tab is done or closed, unless the buyer has left this screen by then: nobody pays who is no longer looking. Browsers
 * lend locks to safe origins only: elsewhere it is done at once.
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
      await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => (lock ? begin(false) : onWait()));
      if (!hasBegun) await navigator.locks.request(LOCK, { signal }, () => begin(true));
    } catch (failure) {
      if (hasBegun || signal.aborted) throw failure;
      await work(false);
    }
  };
}
