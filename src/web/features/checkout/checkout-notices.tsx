import { type QueryClient, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CloudOff, ShoppingCart } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import * as z from 'zod/mini';
import type { CheckoutStatus } from '../../../shared/checkout.ts';
import { formatDollars } from '../../../shared/currency.ts';
import { orderNumber } from '../../../shared/format.ts';
import { call } from '../../lib/api-client.ts';
import { trackedPayment } from '../../lib/cart-storage.ts';
import { passwordLimit, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { useSendForm } from '../../lib/forms.ts';
import { useStored } from '../../lib/storage.ts';
import { markPaid } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { Button, ButtonLink, Spinner } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Callout, EmptyState } from '../../ui/display.tsx';
import { Form, Notice, TextLink } from '../../ui/form-page.tsx';
import { NewPasswordFields } from '../../ui/input.tsx';
import { PAYMENT_FAILED } from './card/card-entry.ts';
import { finishCustomerOrder, finishGuestOrder, isUnanswered, type PlacedOrder } from './order-calls.ts';

const RETRY_AFTER_MS = 15_000;

/** The card was accepted but the shop cannot be reached; nothing is lost. The page tries again by itself. */
export function UnconfirmedOrder({ email, ...retry }: { email: string; loading: boolean; onClick(): void }) {
  const { loading } = retry;
  const tryAgain = useEffectEvent(retry.onClick);
  useEffect(() => {
    if (loading) return;
    const timer = setTimeout(() => tryAgain(), RETRY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [loading]);
  return (
    <Notice icon={CloudOff} tone="warning" title="Your payment is safe">
      <p>
        Your card was accepted, but we cannot reach the shop to show you the order. This page keeps trying. You can
        close it: the order comes by mail to <strong className="wrap-anywhere">{email}</strong>. You will not be charged
        again.
      </p>
      <Button {...retry}>Try again</Button>
    </Notice>
  );
}

export const NOT_LOADED = 'Stripe not loaded';

export function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <Callout role="alert" tone="danger" className="flex flex-wrap items-center gap-2">
      <CircleAlert aria-hidden className="size-5 shrink-0" />
      <span className="mr-auto">{NOT_LOADED}</span>
      <Button size="sm" variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </Callout>
  );
}

export const PAID_ELSEWHERE = 'You have just paid in another tab, so your card was not charged here.';

/** Replaces the form when another tab has bought everything in the cart. */
export function PaidElsewhere() {
  return (
    <Notice icon={CircleCheck} tone="success" title="Already Paid">
      <p>{PAID_ELSEWHERE}</p>
      <ButtonLink to="/orders">My Orders</ButtonLink>
    </Notice>
  );
}

/** Also shown to a buyer who reloads the success screen, so it leads to the paid order. */
export function EmptyCart() {
  const { user } = useSession();
  const payment = useStored(trackedPayment);
  // The order of a buyer who was signed in is not shown after a logout.
  const order = payment?.phase === 'seen' && payment.path === '/checkout' ? payment.orderId : undefined;
  return (
    <EmptyState
      heading="h1"
      icon={ShoppingCart}
      title="Your cart is empty"
      action={<ButtonLink to="/">Start Shopping</ButtonLink>}>
      Add some products to get started!
      {user ? (
        <p>
          What you have bought is in <TextLink to="/orders">My Orders</TextLink>.
        </p>
      ) : (
        order && (
          <p>
            Are you looking for order #{orderNumber(order)}? <TextLink to="/find-order">Find your order</TextLink>
          </p>
        )
      )}
    </EmptyState>
  );
}

const LONG_WAIT_MS = 4000;

export function LongWait() {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="text-center text-sm text-balance text-muted empty:hidden">
      {isLong &&
        'This is taking longer than usual. Your money is safe: you are never charged twice, even if you leave this page.'}
    </p>
  );
}

interface SameOrderDialogProps {
  /** The shop's question; undefined closes the dialog. */
  question: string | undefined;
  guest: boolean;
  onCancel(): void;
  onBuyAgain(): void;
}

export const SameOrderDialog = ({ question, guest, onCancel, onBuyAgain }: SameOrderDialogProps) => (
  <Dialog title="Same order again" isOpen={question !== undefined} onClose={onCancel}>
    <p>{question}</p>
    <p className="text-muted">
      Your card has not been charged for this one.{' '}
      {!guest && (
        <TextLink to="/orders" replace>
          My Orders
        </TextLink>
      )}
    </p>
    <div className="flex flex-wrap justify-end gap-3">
      <Button variant="quiet" onClick={onCancel}>
        Cancel
      </Button>
      <Button onClick={onBuyAgain}>Buy again</Button>
    </div>
  </Dialog>
);

const QUERY_KEY = ['checkout'];

/** The paid order whose result was not shown; null without one or without the shop, undefined while the call runs. */
export function useUnfinishedOrder(): CheckoutStatus | null | undefined {
  const { data, isPending } = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async () => (await call('GET /digital-orders/guest/checkout')).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (isPending) return undefined;
  return isUnfinished(data) ? data : null;
}

/** Whether the order is paid and its buyer has not seen the result. */
export const isUnfinished = (checkout: CheckoutStatus | null | undefined): checkout is CheckoutStatus =>
  checkout?.state === 'paid' || checkout?.state === 'waiting';

/** Replaces the checkout form with the screen that finishes `checkout`. */
export const showUnfinishedOrder = (queries: QueryClient, checkout: CheckoutStatus) =>
  queries.setQueryData(QUERY_KEY, checkout);

interface FinishOrderProps {
  checkout: CheckoutStatus;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

/** For a buyer who closed or reloaded the page during the payment and comes back. */
export function FinishOrder({ checkout, onPlaced }: FinishOrderProps) {
  const { orderId, orderItems } = checkout;
  useEffect(() => markPaid(orderId, orderItems), [orderId, orderItems]);
  const asksPassword = checkout.guest && checkout.needsPassword;
  const Finish = asksPassword ? ChoosePassword : Finishing;
  return (
    <Notice icon={CircleCheck} tone="success" title="Finishing your order">
      <p>
        Your payment of <strong className="tabular">{formatDollars(checkout.totalPrice)}</strong> was accepted.
        {asksPassword && ' Choose a password for your account, and your order is open to you.'}
      </p>
      <Finish checkout={checkout} onPlaced={onPlaced} />
    </Notice>
  );
}

function Finishing({ checkout, onPlaced }: FinishOrderProps) {
  const { user } = useSession();
  async function finishedOrder(): Promise<PlacedOrder> {
    const { guest, email, orderId, orderItems, state } = checkout;
    const order = { orderId, orderItems, guest, email };
    if (guest && state === 'waiting') return { ...order, access: 'check-mail' };
    if (guest && user?.email === email) return { ...order, guest: false, access: 'signed-in' };
    if (guest) return { ...order, access: 'mailed' };
    // This only saves time, because the shop finishes a paid order by itself.
    const [finished] = await Promise.allSettled([finishCustomerOrder(checkout)]);
    if (finished.status === 'rejected') return { ...order, access: 'signed-in' };
    return { ...order, order: finished.value, access: 'signed-in' };
  }
  const finish = useEffectEvent(async () => onPlaced(await finishedOrder()));
  useEffect(() => void finish(), []);
  return <Spinner label="One moment" className="size-8 text-accent" />;
}

const choice = z.object(passwordPair('Please provide a password to create your account')).check(passwordsMatch);

function ChoosePassword({ checkout: { email }, onPlaced }: FinishOrderProps) {
  const [isSafe, setIsSafe] = useState(false);
  const { form, ...fields } = useSendForm({
    schema: choice,
    defaultValues: { password: '', confirmPassword: '' },
    send: async ({ password }) => onPlaced(await finishGuestOrder(email, password)),
    errorMessage: PAYMENT_FAILED,
    onFailure: (failure) => setIsSafe(isUnanswered(failure)),
  });
  const problem = form.problem && (isSafe ? `Your payment is safe. ${form.problem}` : form.problem);
  return (
    <Form {...form} problem={problem} action="Finish order" className="w-full max-w-form text-left">
      <p className="text-sm text-muted">
        Your account: <strong className="wrap-anywhere text-ink">{email}</strong>
      </p>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordFields fields={fields} {...passwordLimit} />
    </Form>
  );
}
