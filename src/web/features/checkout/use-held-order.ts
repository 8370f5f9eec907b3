import { useCallback, useEffect, useMemo, useRef } from 'react';
import { beacon, call } from '../../lib/api-client.ts';

// This tab's, and still there after a reload.
const KEY = 'checkoutOrder';

function remember(orderId: string | undefined): void {
  try {
    if (orderId === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, orderId);
  } catch {
    // Storage may be refused: then an order that was opened before a reload is not given back by leaving.
  }
}

function remembered(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export interface HeldOrder {
  /** The shop holds goods for this order from now on. */
  hold(orderId: string): void;
  /** Its card was authorised: nothing is given back any more. */
  forget(): void;
  /** Leaving during `work` gives nothing back before it ends, since the card is being confirmed. */
  whilePaying(work: () => Promise<void>): Promise<void>;
}

/**
 * Gives the goods of this tab's unpaid order back when its buyer leaves the checkout: at once when they go to another
 * screen, and after a while, which the shop decides, when they close the page. Should a call not arrive, the hold ends by
 * itself.
 */
export function useHeldOrder(): HeldOrder {
  const order = useRef<string>(undefined);
  const isPaying = useRef(false);
  const isLeft = useRef(false);

  const hold = useCallback((orderId: string | undefined) => {
    order.current = orderId;
    remember(orderId);
  }, []);

  const giveBack = useCallback(() => {
    const orderId = order.current;
    if (orderId === undefined || isPaying.current || !isLeft.current) return;
    hold(undefined);
    call('POST /digital-orders/guest/checkout/abandon', { body: { orderId, pageIsClosed: false } }).catch(
      () => undefined,
    );
  }, [hold]);

  useEffect(() => {
    isLeft.current = false;
    order.current ??= remembered();
    const onPageHide = () => {
      const orderId = order.current;
      if (orderId !== undefined)
        beacon('POST /digital-orders/guest/checkout/abandon', { orderId, pageIsClosed: true });
    };
    // A page that comes back as it was left asks for its order, which tells the shop that its buyer is there again.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted && order.current !== undefined)
        call('GET /digital-orders/guest/checkout').catch(() => undefined);
    };
    window.addEventListener('pagehide', onPageHide);
    window.addEventListener('pageshow', onPageShow);
    return () => {
      window.removeEventListener('pagehide', onPageHide);
      window.removeEventListener('pageshow', onPageShow);
      isLeft.current = true;
      giveBack();
    };
  }, [giveBack]);

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
          giveBack();
        }
      },
    }),
    [hold, giveBack],
  );
}
