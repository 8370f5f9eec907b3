import { useCallback, useEffect, useMemo, useRef } from 'react';
import { beacon, call } from '../../lib/api-client.ts';

interface HeldOrder {
  /** The shop holds units for this order from now on. */
  hold(orderId: string): void;
  /** Its card was authorised: leaving no longer releases anything. */
  forget(): void;
  /** Leaving during `work` releases nothing before it ends, because the card is being confirmed. */
  whilePaying(work: () => Promise<void>): Promise<void>;
}

/**
 * Releases the units of this tab's unpaid order when its buyer leaves the checkout: at once when they go to another screen;
 * after a delay, which the shop decides, when they close the page. If the call is lost, the hold expires by itself.
 */
export function useHeldOrder(): HeldOrder {
  const order = useRef<string>(undefined);
  const isPaying = useRef(false);
  const hasLeft = useRef(false);

  const hold = useCallback((orderId: string | undefined) => {
    order.current = orderId;
    saveOrderId(orderId);
  }, []);

  const release = useCallback(() => {
    const orderId = order.current;
    if (orderId === undefined || isPaying.current || !hasLeft.current) return;
    hold(undefined);
    call('POST /digital-orders/guest/checkout/abandon', { body: { orderId, pageIsClosed: false } }).catch(
      () => undefined,
    );
  }, [hold]);

  useEffect(() => {
    hasLeft.current = false;
    order.current ??= readOrderId();
    const onPageHide = () => {
      const orderId = order.current;
      if (orderId !== undefined) beacon('POST /digital-orders/guest/checkout/abandon', { orderId, pageIsClosed: true });
    };
    // For a page restored from the back/forward cache: this call tells the shop that the buyer is back.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted && order.current !== undefined) call('GET /digital-orders/guest/checkout').catch(() => undefined);
    };
    window.addEventListener('pagehide', onPageHide);
    window.addEventListener('pageshow', onPageShow);
    return () => {
      window.removeEventListener('pagehide', onPageHide);
      window.removeEventListener('pageshow', onPageShow);
      hasLeft.current = true;
      release();
    };
  }, [release]);

  return useMemo(
    () => ({
      hold,
      forget: () => hold(undefined),
      whilePaying: async (work) => {
        isPaying.current = true;
        try {
          await work();
        } finally {
          isPaying.current = false;
          release();
        }
      },
    }),
    [hold, release],
  );
}

// Per tab, and kept over a reload.
const STORAGE_KEY = 'checkoutOrder';

function saveOrderId(orderId: string | undefined): void {
  try {
    if (orderId === undefined) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, orderId);
  } catch {
    // Storage may be denied: leaving then does not release an order that was opened before a reload.
  }
}

function readOrderId(): string | undefined {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
