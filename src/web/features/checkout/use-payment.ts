import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { useCart } from '../../state/cart.tsx';
import { beginPayment, markFailed, markPaid, markUnsure } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { authorise, type Buyer, findPayment } from './authorise.ts';
import { type CardEntry, type ConfirmedPayment, PAYMENT_FAILED } from './card/card-entry.ts';
import { clearContactDraft } from './contact-draft.ts';
import { PAID_ELSEWHERE } from './paid-elsewhere.tsx';
import { mayPass, type PaidCart, type PlacedOrder, placeOrder } from './place-order.ts';
import { orderItemsOf, type Quote } from './quote.ts';
import { isPaid, showUnfinishedOrder } from './use-checkout-status.ts';
import { useHeldOrder } from './use-held-order.ts';
import { usePaymentLock } from './use-payment-lock.ts';

const REPRICED = 'Price verification failed. Please refresh and try again.';
const CONNECTION_LOST =
  'The connection broke before we heard whether your card was accepted. Press Pay again: you will not be charged twice.';
const CART_CHANGED = 'Your cart has changed in another tab. Look at it again before you pay.';
const SESSION_ENDED = 'Your session has ended. Sign in again, or go on as a guest.';

// What these refusals are about, the cart shows once it has been read anew.
const CART_IS_OLD = ['PRICE_CHANGED', 'OUT_OF_STOCK', 'PRODUCT_UNAVAILABLE', 'HOLD_LIMIT'];

type Phase =
  | { name: 'filling' }
  /** Of what is being paid, whatever becomes of the cart meanwhile. */
  | { name: 'processing'; quote: Quote }
  /** Another tab of this browser is paying. */
  | { name: 'waiting'; quote: Quote }
  /** The money is safe and the order comes, but the shop could not be reached to say so. */
  | { name: 'unconfirmed'; paid: PaidCart; retrying: boolean };

interface Attempt {
  buyer: Buyer;
  quote: Quote;
  password: string;
  card: CardEntry;
}

/** The shop asks whether the same is to be bought again. */
interface Repeat {
  question: string;
  attempt: Attempt;
}

interface UsePayment {
  /** False once the buyer has gone on to another screen. */
  isShown: RefObject<boolean>;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

const codeOf = (failure: unknown) => (failure instanceof CallError ? failure.code : undefined);

/** What a press of Pay sets off, and where it stands. One press runs at a time, however often it is clicked. */
export function usePayment({ isShown, onPlaced }: UsePayment) {
  const cart = useCart();
  const session = useSession();
  const queries = useQueryClient();
  const withPaymentLock = usePaymentLock();
  const held = useHeldOrder();
  const [phase, setPhase] = useState<Phase>({ name: 'filling' });
  const [problem, setProblem] = useState<string | null>(null);
  const [repeat, setRepeat] = useState<Repeat | null>(null);
  const running = useRef(false);
  // An attempt whose end is not known: it may be paid, so it is asked about before another is made.
  const unresolved = useRef<{ orderId: string; buyer: Buyer; quote: Quote } | undefined>(undefined);

  function fail(message: string) {
    setProblem(message);
    setPhase({ name: 'filling' });
  }

  function failWith(failure: unknown) {
    const code = codeOf(failure);
    if (code === 'UNAUTHENTICATED') {
      forgetSession();
      return fail(SESSION_ENDED);
    }
    if (unresolved.current && mayPass(failure)) return fail(CONNECTION_LOST);
    if (code !== undefined && CART_IS_OLD.includes(code)) refreshCart();
    fail(code === 'PRICE_CHANGED' ? REPRICED : messageOf(failure, PAYMENT_FAILED));
  }

  // What the buyer is told to do stands on the screen, whether or not these two get through.
  const refreshCart = () => void cart.refresh().catch(() => undefined);
  const forgetSession = () => void session.signOut().catch(() => undefined);

  async function findEarlier(password: string): Promise<PaidCart | undefined> {
    if (unresolved.current === undefined) return undefined;
    const { orderId, buyer, quote } = unresolved.current;
    const payment = await findPayment(orderId);
    return payment && { buyer, quote, payment, password };
  }

  async function confirm(attempt: Attempt, onRepeat: 'ask' | 'allow'): Promise<ConfirmedPayment | undefined> {
    const { buyer, quote, card } = attempt;
    const onOrder = (orderId: string) => {
      unresolved.current = { orderId, buyer, quote };
      held.hold(orderId);
      beginPayment(orderId);
    };
    const result = await authorise({ buyer, quote, card, onRepeat, onOrder }).catch((failure: unknown) => {
      if (codeOf(failure) !== 'REPEAT_ORDER') throw failure;
      return { outcome: 'repeated' as const, question: messageOf(failure, PAYMENT_FAILED) };
    });
    switch (result.outcome) {
      case 'authorised':
        return result.payment;
      case 'unknown':
        fail(CONNECTION_LOST);
        return undefined;
      case 'repeated':
        setRepeat({ question: result.question, attempt });
        setPhase({ name: 'filling' });
        return undefined;
      case 'repriced':
        refreshCart();
        fail(REPRICED);
        return undefined;
      case 'refused':
        fail(result.message);
        loseOrder();
        return undefined;
    }
  }

  /** No money was taken for the order that was being paid. */
  function loseOrder() {
    if (unresolved.current) markFailed(unresolved.current.orderId, { isSeen: isShown.current });
    unresolved.current = undefined;
  }

  async function place(paid: PaidCart) {
    const { orderId = '' } = unresolved.current ?? {};
    held.forget();
    markPaid(orderId, orderItemsOf(paid.quote));
    try {
      await onPlaced(await placeOrder(paid));
    } catch (failure) {
      if (mayPass(failure)) return setPhase({ name: 'unconfirmed', paid, retrying: false });
      if (codeOf(failure) !== 'UNAUTHENTICATED') {
        if (codeOf(failure) === 'PAYMENT_NOT_CONFIRMED') loseOrder();
        else markUnsure(orderId);
        return failWith(failure);
      }
      // Signed out elsewhere while paying: the shop finishes the order, and the buyer signs in again to see it.
      const { guest, email } = paid.buyer;
      forgetSession();
      await onPlaced({
        orderId,
        orderItems: orderItemsOf(paid.quote),
        guest,
        email,
        access: 'mailed',
        session: undefined,
      });
    }
  }

  async function exclusively(during: Phase, work: () => Promise<void>) {
    if (running.current) return;
    running.current = true;
    setProblem(null);
    setPhase(during);
    try {
      await held.whilePaying(work);
    } catch (failure) {
      failWith(failure);
    } finally {
      running.current = false;
    }
  }

  /** After another tab has paid or given up: whether what was to be paid here still is. */
  async function isStillToPay({ quote }: Attempt): Promise<boolean> {
    const { data } = await call('GET /digital-orders/guest/checkout');
    if (isPaid(data)) {
      showUnfinishedOrder(queries, data);
      return false;
    }
    if (cart.holds(orderItemsOf(quote))) return true;
    // Its order is left behind for good once it is paid; one that was given up is still known.
    if (data === null) clearContactDraft();
    fail(data === null ? PAID_ELSEWHERE : CART_CHANGED);
    return false;
  }

  async function payNow(attempt: Attempt, onRepeat: 'ask' | 'allow', hasWaited: boolean) {
    const earlier = await findEarlier(attempt.password);
    setPhase({ name: 'processing', quote: earlier?.quote ?? attempt.quote });
    if (earlier) return place(earlier);
    if (hasWaited && !(await isStillToPay(attempt))) return;
    const payment = await confirm(attempt, onRepeat);
    if (payment) await place({ ...attempt, payment });
  }

  const payOnce = (attempt: Attempt, onRepeat: 'ask' | 'allow') =>
    exclusively({ name: 'processing', quote: attempt.quote }, () =>
      withPaymentLock(
        (hasWaited) => payNow(attempt, onRepeat, hasWaited),
        () => setPhase({ name: 'waiting', quote: attempt.quote }),
      ),
    );

  const pay = (attempt: Attempt) => payOnce(attempt, 'ask');

  const answerRepeat = (buyAgain: boolean) => {
    setRepeat(null);
    if (buyAgain && repeat) void payOnce(repeat.attempt, 'allow');
  };

  const retry = (paid: PaidCart) =>
    exclusively({ name: 'unconfirmed', paid, retrying: true }, () => place(paid));

  return { phase, problem, setProblem, repeat, answerRepeat, pay, retry };
}
