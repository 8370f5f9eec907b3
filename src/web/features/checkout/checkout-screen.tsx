import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useCart } from '../../state/cart.tsx';
import { useIsShown } from '../../state/late-answer.ts';
import { markPaid } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { Skeleton } from '../../ui/card.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useCartChanges } from './cart-changes.tsx';
import { CheckoutForm } from './checkout-form.tsx';
import { clearContactDraft } from './contact-draft.ts';
import { FinishOrder, useUnfinishedOrder } from './finish-order.tsx';
import type { PlacedOrder } from './order-calls.ts';
import { OrderSuccess } from './order-outcome.tsx';

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
  // If this call is lost, the checkout shows the same finished order again, which is harmless.
  const leave = useMutation({ mutationFn: () => call('DELETE /digital-orders/guest/checkout'), retry: 2 });
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
    // Keep the cookie for a buyer who has left this screen and is not signed in: this screen then tells them how to
    // open the order.
    if (!isSeen && !isSignedIn) return;
    // Awaited, so that another tab that waits to pay no longer finds this order in the cart and the cookie.
    await Promise.allSettled([leave.mutateAsync()]);
  }

  if (placed) return <OrderSuccess order={placed} />;
  if (!isReady) return <CheckoutLoading />;
  if (unfinished) return <FinishOrder checkout={unfinished} onPlaced={finish} />;
  return <CheckoutForm changes={changes} isShown={isShown} onPlaced={finish} />;
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
