import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { sameTotal, toDollars } from '../../../shared/pricing.ts';
import { CallError, call, codeOf, isTransient, messageOf } from '../../lib/api-client.ts';
import { forgetSession } from '../../lib/storage.ts';
import { useCart } from '../../state/cart.tsx';
import { hasInCart } from '../../state/cart-actions.ts';
import { restoreCart } from '../../state/payment-under-way.ts';
import { type CardEntry, type ConfirmedPayment, PAYMENT_FAILED } from './card/card-entry.ts';
import { isUnfinished, PAID_ELSEWHERE, showUnfinishedOrder } from './checkout-notices.tsx';
import { clearContactDraft } from './contact-form.tsx';
import {
  type CartSnapshot,
  type ConfirmedOrder,
  createPaymentIntent,
  findPayment,
  isUnanswered,
  type OnRepeat,
  orderItemsOf,
  type PlacedOrder,
  submitOrder,
} from './order-calls.ts';
import { usePaymentLock, useUnresolvedOrder } from './unpaid-order.ts';

const REPRICED = 'Price verification failed. Please refresh and try again.';
const CONNECTION_LOST =
  'The connection broke before we heard whether your card was accepted. Press Pay again: you will not be charged twice.';
const CART_CHANGED = 'Your cart has changed in another tab. Look at it again before you pay.';
export const SESSION_ENDED = 'Your session has ended. Sign in again, or go on as a guest.';

// After these errors the cart is refreshed and shows what is wrong.
const STOCK_ERRORS = ['SHOP_CLOSED', 'OUT_OF_STOCK', 'PRODUCT_UNAVAILABLE', 'HOLD_LIMIT'];
const STALE_CART_ERRORS = [...STOCK_ERRORS, 'PRICE_CHANGED'];

type Phase =
  | { name: 'filling' }
  /** The shop asks whether to buy the same goods again. */
  | { name: 'asking'; question: string; attempt: Attempt }
  /** `snapshot` is being paid, even if the cart changes. `waiting`: another tab is paying. */
  | { name: 'processing' | 'waiting'; snapshot: CartSnapshot }
  /** The card was accepted and the order will be finished, but the shop cannot be reached to confirm it. */
  | { name: 'unconfirmed'; order: ConfirmedOrder; retrying: boolean };

type Attempt = Omit<ConfirmedOrder, 'payment'> & { card: CardEntry };

export interface PaymentScreen {
  isShown: RefObject<boolean>;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

interface PaymentOptions extends PaymentScreen {
  /** Called when the shop rejects a field of the shipping address; the field shows the message. */
  onAddressRefused(field: string, message: string): void;
}

const ADDRESS_FIELD = /^shippingAddress\.(?<field>\w+)$/;

/** Runs a payment, from the press of Pay to the placed order. */
export function usePayment({ isShown, onPlaced, onAddressRefused }: PaymentOptions) {
  const queries = useQueryClient();
  const withPaymentLock = usePaymentLock();
  const unresolved = useUnresolvedOrder(isShown);
  const progress = useProgress(unresolved, onAddressRefused);
  const { setPhase, fail, failWith, exclusively } = progress;

  async function submit(order: ConfirmedOrder) {
    const orderItems = orderItemsOf(order.snapshot);
    const orderId = unresolved.markAsPaid(orderItems);
    try {
      await onPlaced(await submitOrder(order));
    } catch (failure) {
      if (isUnanswered(failure)) return setPhase({ name: 'unconfirmed', order, retrying: false });
      if (codeOf(failure) !== 'UNAUTHENTICATED') {
        if (codeOf(failure) === 'PAYMENT_NOT_CONFIRMED') unresolved.lose();
        // The shop refused to finish an order that may be paid.
        else restoreCart(orderId, 'confirming');
        return failWith(failure);
      }
      // The buyer was signed out in another tab during the payment. The shop finishes the order, and the buyer has to
      // sign in to see it.
      const { guest, email } = order.buyer;
      forgetSession();
      await onPlaced({ orderId, orderItems, guest, email, access: 'mailed' });
    }
  }

  /** Whether this attempt still has to be paid after another tab has paid or given up. */
  async function isStillToPay({ snapshot }: Attempt): Promise<boolean> {
    const { data } = await call('GET /digital-orders/guest/checkout');
    if (isUnfinished(data)) {
      showUnfinishedOrder(queries, data);
      return false;
    }
    if (hasInCart(orderItemsOf(snapshot))) return true;
    // Null means that the other tab has paid: the cookie of a paid order is cleared, but not the cookie of an order
    // that was given up.
    if (data === null) clearContactDraft();
    fail(data === null ? PAID_ELSEWHERE : CART_CHANGED);
    return false;
  }

  async function payNow(attempt: Attempt, onRepeat: OnRepeat, hasWaited: boolean) {
    const earlier = await unresolved.findPaid(attempt.password);
    setPhase({ name: 'processing', snapshot: earlier?.snapshot ?? attempt.snapshot });
    if (earlier) return submit(earlier);
    if (hasWaited && !(await isStillToPay(attempt))) return;
    try {
      const payment = await authorise(attempt, onRepeat, unresolved);
      if ('problem' in payment) fail(payment.problem);
      else await submit({ ...attempt, payment });
    } catch (failure) {
      if (codeOf(failure) !== 'REPEAT_ORDER') throw failure;
      setPhase({ name: 'asking', question: messageOf(failure, PAYMENT_FAILED), attempt });
    }
  }

  const payOnce = (attempt: Attempt, onRepeat: OnRepeat) =>
    exclusively({ name: 'processing', snapshot: attempt.snapshot }, () =>
      withPaymentLock(
        (hasWaited) => payNow(attempt, onRepeat, hasWaited),
        () => setPhase({ name: 'waiting', snapshot: attempt.snapshot }),
      ),
    );

  const retry = (order: ConfirmedOrder) =>
    exclusively({ name: 'unconfirmed', order, retrying: true }, () => submit(order));

  return {
    phase: progress.phase,
    problem: progress.problem,
    setProblem: progress.setProblem,
    clearStockProblem: progress.clearStockProblem,
    pay: (attempt: Attempt) => payOnce(attempt, 'ask'),
    payAgain: (attempt: Attempt) => payOnce(attempt, 'allow'),
    dontPayAgain: () => setPhase((now) => (now.name === 'asking' ? { name: 'filling' } : now)),
    retry,
  };
}

type UnresolvedOrder = ReturnType<typeof useUnresolvedOrder>;

/** Opens the payment, which holds the products, and confirms the card. Returns the payment, or why there is none. */
async function authorise(
  attempt: Attempt,
  onRepeat: OnRepeat,
  unresolved: UnresolvedOrder,
  mayReopen = true,
): Promise<ConfirmedPayment | { problem: string }> {
  const { buyer, snapshot, card } = attempt;
  const { clientSecret, orderId, validatedAmounts } = await createPaymentIntent(buyer, snapshot, onRepeat);
  if (!sameTotal(validatedAmounts.totalPrice, toDollars(snapshot.totals.totalCents))) {
    throw new CallError(409, 'PRICE_CHANGED', REPRICED);
  }
  unresolved.open({ orderId, buyer, snapshot });

  const confirmation = await card.confirm({ clientSecret, name: buyer.name, email: buyer.email });
  if (confirmation.outcome === 'authorised') return confirmation.payment;
  if (confirmation.outcome === 'unknown') return (await findPayment(orderId)) ?? { problem: CONNECTION_LOST };
  // The hold has expired. Open a new payment for the same cart, but only once.
  if (confirmation.outcome === 'ended' && mayReopen) return authorise(attempt, onRepeat, unresolved, false);
  unresolved.lose();
  return { problem: confirmation.outcome === 'refused' ? confirmation.message : PAYMENT_FAILED };
}

/** What the screen shows of a payment. Only one payment runs at a time, however often Pay is clicked. */
function useProgress(unresolved: UnresolvedOrder, onAddressRefused: PaymentOptions['onAddressRefused']) {
  const { refresh } = useCart();
  const [phase, setPhase] = useState<Phase>({ name: 'filling' });
  const [problem, setProblem] = useState<string | null>(null);
  const stockProblem = useRef<string>(undefined);
  const running = useRef(false);
  // The screen already says what to do, so a failure is ignored.
  const refreshCart = () => void refresh().catch(() => undefined);

  function fail(message: string) {
    setProblem(message);
    setPhase({ name: 'filling' });
  }

  function failWith(failure: unknown) {
    setPhase({ name: 'filling' });
    const code = codeOf(failure);
    if (code === 'UNAUTHENTICATED') {
      setProblem(SESSION_ENDED);
      return forgetSession();
    }
    if (unresolved.exists() && isTransient(failure) && code !== 'SHOP_CLOSED') return setProblem(CONNECTION_LOST);
    const field = failure instanceof CallError && ADDRESS_FIELD.exec(failure.field ?? '')?.groups?.['field'];
    if (field) return onAddressRefused(field, messageOf(failure, PAYMENT_FAILED));
    if (code !== undefined && STALE_CART_ERRORS.includes(code)) refreshCart();
    const message = code === 'PRICE_CHANGED' ? REPRICED : messageOf(failure, PAYMENT_FAILED);
    if (code !== undefined && STOCK_ERRORS.includes(code)) stockProblem.current = message;
    setProblem(message);
  }

  async function exclusively(during: Phase, work: () => Promise<void>) {
    if (running.current) return;
    running.current = true;
    setProblem(null);
    setPhase(during);
    try {
      await unresolved.whilePaying(work);
    } catch (failure) {
      failWith(failure);
    } finally {
      running.current = false;
    }
  }

  /** Removes a message about stock or a closed shop. Any other message, e.g. about a declined card, stays. */
  const clearStockProblem = () => setProblem((shown) => (shown === stockProblem.current ? null : shown));

  return { phase, setPhase, problem, setProblem, clearStockProblem, fail, failWith, exclusively };
}
