import { onlineManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router';
import { orderNumber } from '../../../shared/format.ts';
import { call } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useOrderVerification } from '../../state/account-status.ts';
import { useIsShown } from '../../state/answers.ts';
import { useCart } from '../../state/cart.tsx';
import { markPaid, useSeenOrders } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { useShop } from '../../state/shop.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Callout, Skeleton } from '../../ui/display.tsx';
import { MailboxLink, Notice, TextLink, VerifyEmail } from '../../ui/form-page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { CheckoutForm } from './checkout-form.tsx';
import { FinishOrder, useUnfinishedOrder } from './checkout-notices.tsx';
import { clearContactDraft } from './contact-form.tsx';
import type { PlacedOrder } from './order-calls.ts';
import { useCartChanges } from './order-summary.tsx';
import { thanksFor } from './thanks.ts';

const MAX_LEAVE_MS = 5000;

/** Ends the paid checkout of this browser. Waits for the response for a limited time. */
const leaveCheckout = () =>
  Promise.race([
    call('DELETE /digital-orders/guest/checkout'),
    new Promise((resolve) => setTimeout(resolve, MAX_LEAVE_MS)),
  ]);

export function CheckoutScreen() {
  const session = useSession();
  const unfinished = useUnfinishedOrder();
  const [placed, setPlaced] = useState<PlacedOrder | null>(null);
  // Once shown, the form stays: a new check of the session, caused by another tab, must not interrupt a payment.
  const [isReady, setIsReady] = useState(false);
  // A payment under way continues after the buyer has left this screen.
  const isShown = useIsShown();
  const isRefreshed = useRefreshedCart();
  const changes = useCartChanges();
  const [formsReplaced, setFormsReplaced] = useState(0);
  const replaceForm = useCallback(() => {
    clearContactDraft();
    setFormsReplaced((count) => count + 1);
  }, []);
  // If this call is lost, the checkout shows the same finished order again, which is harmless.
  const leave = useMutation({ mutationFn: leaveCheckout, retry: 2 });
  useTitle('Checkout');

  if (!isReady && isRefreshed && session.status !== 'loading' && unfinished !== undefined) setIsReady(true);

  async function finish(order: PlacedOrder) {
    // Show the success screen before the cart and the session change, to avoid flicker.
    flushSync(() => setPlaced(order));
    const isSeen = isShown.current && document.visibilityState === 'visible';
    const isSignedIn = order.access === 'signed-in';
    const outcome = order.access === 'check-mail' ? 'waiting' : 'ready';
    markPaid(order.orderId, order.orderItems, {
      phase: isSeen ? 'seen' : outcome,
      path: isSignedIn ? '/orders' : '/checkout',
    });
    clearContactDraft();
    if (order.session) session.signIn(order.session);
    // Keep the cookie for a buyer who has left and is not signed in: this screen then tells how to open the order.
    if (!isSeen && !isSignedIn) return;
    // Awaited, so that another tab that waits to pay no longer finds this order in the cart and the cookie.
    await Promise.allSettled([leave.mutateAsync()]);
  }

  if (placed) return <OrderSuccess order={placed} isLeaving={leave.isPending} />;
  if (!isReady) return <CheckoutLoading />;
  if (unfinished) return <FinishOrder checkout={unfinished} onPlaced={finish} />;
  return (
    <CheckoutForm key={formsReplaced} changes={changes} isShown={isShown} onPlaced={finish} onOtherUser={replaceForm} />
  );
}

/** Whether the refresh of prices and stock has ended; if it failed, the server still checks them before a payment. */
function useRefreshedCart(): boolean {
  const { refresh } = useCart();
  const [isRefreshed, setIsRefreshed] = useState(false);
  useEffect(() => {
    void Promise.allSettled([refresh()]).then(() => setIsRefreshed(true));
  }, [refresh]);
  return isRefreshed;
}

function CheckoutLoading() {
  return (
    <Loading label="Loading" className="mx-auto w-full max-w-page px-4 py-8 sm:px-6">
      <Skeleton className="h-9 w-48" />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_28rem]">
        <Skeleton className="h-96" />
        <Skeleton className="h-80" />
      </div>
    </Loading>
  );
}

const REDIRECT_AFTER_MS = 2000;

function OrderSuccess({ order, isLeaving }: { order: PlacedOrder; isLeaving: boolean }) {
  useRedirectToOrders(order, isLeaving);
  useSeenOrders([order.orderId]);
  return (
    <Notice icon={CircleCheck} tone="success" title="Order Successful">
      <WayToOrder {...order} />
    </Notice>
  );
}

function WayToOrder(order: PlacedOrder) {
  const { guest, email, access } = order;
  const mailbox = useShop()?.mailbox;
  const verification = useOrderVerification(email);
  const address = <strong className="wrap-anywhere">{email}</strong>;

  if (access === 'sign-in') {
    return (
      <>
        <p>{address} already has an account here, and your order is in it. Sign in to see it.</p>
        <p className="text-muted">
          The password of that account was not changed: the password that you have just typed was not used.
        </p>
        <SignIn />
        <OtherWays {...order} />
      </>
    );
  }
  if (access === 'mailed') {
    return (
      <>
        <p>
          Your payment was accepted, and we have mailed {address} how to open your order. If you have a password here,
          you can sign in to see it.
        </p>
        <SignIn />
        <OtherWays {...order} />
        <MailboxLink path={mailbox} />
      </>
    );
  }
  if (access === 'check-mail') {
    return (
      <>
        <p>
          Your payment was accepted. There is an account for {address} already, but nobody has verified that address, so
          your order waits until you do:
        </p>
        <ol className="list-decimal pl-6 text-left">
          <li>Open the mail we have just sent there, and press its button within 7 days.</li>
          <li>Choose a new password: the one you have just typed was not used.</li>
          <li>You are signed in, and your order is there.</li>
        </ol>
        <VerifyEmail {...verification} />
        <p className="text-sm text-muted">
          Do you know the password of that account? It can stay:{' '}
          <TextLink to="/login" state={{ from: '/orders' }}>
            sign in
          </TextLink>{' '}
          and verify the address from My Orders.
        </p>
        <OtherWays {...order} />
        <ButtonLink to="/">Continue Shopping</ButtonLink>
        {!verification.isSent && <MailboxLink path={mailbox} />}
      </>
    );
  }
  return (
    <>
      <p>{thanksFor(order.order)}</p>
      {guest && (
        <Callout tone="success" className="w-full">
          <h2 className="text-base">Account Created</h2>
          <p>You are signed in as {address}. Next time, sign in with the password you chose.</p>
        </Callout>
      )}
      <p className="text-muted">
        Taking you to your orders...{' '}
        <TextLink to="/orders" replace>
          Go now
        </TextLink>
      </p>
    </>
  );
}

const SignIn = () => (
  <ButtonLink to="/login" state={{ from: '/orders' }}>
    Sign In
  </ButtonLink>
);

const OtherWays = ({ orderId }: PlacedOrder) => (
  <p className="text-sm text-muted">
    No password at hand, or no mail? <TextLink to="/find-order">Find your order</TextLink> with its number,{' '}
    <strong className="tabular text-ink">#{orderNumber(orderId)}</strong>, and a code that we mail you.
  </p>
);

/**
 * A guest who became a customer gets a full page load. It waits for the call that leaves the checkout. Back must not lead
 * to the paid checkout: the browser could restore its success screen, with the buyer's e-mail, even after a logout. Without
 * a connection the success screen stays, as the browser would put its own error page in its place.
 */
function useRedirectToOrders({ access, guest }: PlacedOrder, isLeaving: boolean) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isDue, setIsDue] = useState(false);
  const isOnline = useSyncExternalStore(onlineManager.subscribe, () => onlineManager.isOnline());
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['mine'] });
    const timer = setTimeout(() => setIsDue(true), REDIRECT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [queries]);
  useEffect(() => {
    if (access !== 'signed-in' || !isDue || isLeaving || !isOnline) return;
    if (guest) window.location.replace('/orders');
    else void navigate('/orders', { replace: true });
  }, [access, guest, isDue, isLeaving, isOnline, navigate]);
}
