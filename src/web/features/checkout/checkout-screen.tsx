import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useCart } from '../../state/cart.tsx';
import { markPaid } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CheckoutForm } from './checkout-form.tsx';
import { clearContactDraft } from './contact-draft.ts';
import { FinishOrder } from './finish-order.tsx';
import { OrderSuccess } from './order-success.tsx';
import type { PlacedOrder } from './place-order.ts';
import { useCartChanges } from './use-cart-changes.ts';
import { useUnfinishedOrder } from './use-checkout-status.ts';

export function CheckoutScreen() {
  const session = useSession();
  const unfinished = useUnfinishedOrder();
  const [placed, setPlaced] = useState<PlacedOrder | null>(null);
  // Once shown, the form stays: a session checked anew in another tab must not interrupt a payment.
  const [isReady, setIsReady] = useState(false);
  const isShown = useIsShown();
  const isRefreshed = useRefreshedCart();
  const changes = useCartChanges();
  // Until it has arrived, coming back here shows the same finished order again, which loses nothing.
  const leave = useMutation({ mutationFn: () => call('DELETE /digital-orders/guest/checkout'), retry: 2 });
  useTitle('Checkout');

  if (!isReady && isRefreshed && session.status !== 'loading' && unfinished !== undefined) setIsReady(true);

  async function finish(order: PlacedOrder) {
    // The success screen stands before the cart changes and the guest signed in, so that nothing flickers between.
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
    // Who has gone on to another screen comes back here to be told how to reach the order.
    if (!isSeen && !isSignedIn) return;
    // Waited for, so that a tab that waits for its turn to pay finds this order gone from cart and cookie.
    await Promise.allSettled([leave.mutateAsync()]);
  }

  if (placed) return <OrderSuccess order={placed} />;
  if (!isReady) return <CheckoutLoading />;
  if (unfinished) return <FinishOrder checkout={unfinished} onPlaced={finish} />;
  return <CheckoutForm changes={changes} isShown={isShown} onPlaced={finish} />;
}

/** False once the buyer has gone on to another screen, where a payment under way comes to its end all the same. */
function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

/** Whether prices and stock were read anew, or could not be: the server checks them before a payment all the same. */
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
    <div className="mx-auto grid w-full max-w-page gap-6 px-4 py-8 sm:px-6" role="status">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-9 w-48" />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_28rem]">
        <Skeleton className="h-96" />
        <Skeleton className="h-80" />
      </div>
    </div>
  );
}
