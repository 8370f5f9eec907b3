import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { beacon, call } from '../../lib/api-client.ts';
import { storedText } from '../../lib/storage.ts';
import { beginPayment, markPaid, restoreCart } from '../../state/payment-under-way.ts';
import {
  type BuyerDetails,
  type CartSnapshot,
  type ConfirmedOrder,
  findPayment,
  type orderItemsOf,
} from './order-calls.ts';

/** The unpaid order of this tab, for which the shop holds units. */
const heldOrder = storedText('checkoutOrder');

/** The order of the last attempt if its result is unknown. It may be paid, so the next attempt first asks the shop. */
export function useUnresolvedOrder(isShown: RefObject<boolean>) {
  const whilePaying = useReleaseOnLeaving();
  const order = useRef<{ orderId: string; buyer: BuyerDetails; snapshot: CartSnapshot }>(undefined);

  return {
    whilePaying,
    exists: () => order.current !== undefined,
    open(opened: NonNullable<typeof order.current>) {
      order.current = opened;
      heldOrder.write(opened.orderId);
      beginPayment(opened.orderId);
    },
    async findPaid(password: string): Promise<ConfirmedOrder | undefined> {
      if (order.current === undefined) return undefined;
      const { orderId, buyer, snapshot } = order.current;
      const payment = await findPayment(orderId);
      return payment && { buyer, snapshot, payment, password };
    },
    markAsPaid(orderItems: ReturnType<typeof orderItemsOf>): string {
      const { orderId = '' } = order.current ?? {};
      // Leaving no longer releases anything.
      heldOrder.clear();
      markPaid(orderId, orderItems);
      return orderId;
    },
    /** Called when no money was taken for the order. The open checkout shows the buyer the reason. */
    lose() {
      if (order.current) restoreCart(order.current.orderId, isShown.current ? null : 'failed');
      order.current = undefined;
    },
  };
}

/**
 * Releases the units of this tab's unpaid order when the buyer leaves the checkout: at once if another screen is
 * opened, and after a delay set by the shop if the page is closed. If the call is lost, the hold expires by itself.
 * Returns a function that runs the work of a payment: a buyer who leaves releases nothing until that ends, because the
 * card is being confirmed.
 */
function useReleaseOnLeaving() {
  const isPaying = useRef(false);
  const hasLeft = useRef(false);

  const release = useCallback(() => {
    const orderId = heldOrder.read();
    if (orderId === null || isPaying.current || !hasLeft.current) return;
    heldOrder.clear();
    call('POST /digital-orders/guest/checkout/abandon', { body: { orderId, pageIsClosed: false } }).catch(
      () => undefined,
    );
  }, []);

  useEffect(() => {
    hasLeft.current = false;
    const onPageHide = () => {
      const orderId = heldOrder.read();
      if (orderId !== null) beacon('POST /digital-orders/guest/checkout/abandon', { orderId, pageIsClosed: true });
    };
    // For a page restored from the back/forward cache: this call tells the shop that the buyer is back.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted && heldOrder.read() !== null) call('GET /digital-orders/guest/checkout').catch(() => undefined);
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

  return async function whilePaying(work: () => Promise<void>): Promise<void> {
    isPaying.current = true;
    try {
      await work();
    } finally {
      isPaying.current = false;
      release();
    }
  };
}

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
      // The browser gave no lock. A buyer must be able to pay without one.
      await work(false);
    }
  };
}
