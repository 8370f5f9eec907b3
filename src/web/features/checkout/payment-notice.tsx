import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Mail, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import { call } from '../../lib/api-client.ts';
import { trackedPayment } from '../../lib/cart-storage.ts';
import { useStored } from '../../lib/storage.ts';
import { followPayment, markPaymentSeen } from '../../state/payment-under-way.ts';
import { IconButton, keepFocus, Spinner } from '../../ui/button.tsx';
import { classNames } from '../../ui/display.tsx';

// Each poll makes the shop ask the provider, too. An order is normally delivered or abandoned within 15 minutes.
const FIRST_POLL_AFTER_MS = 1_500;
const MAX_POLL_INTERVAL_MS = 30_000;
const MAX_POLLS = 40;

const iconClass = 'size-5 shrink-0';
const notices = {
  confirming: {
    tone: 'bg-info-soft text-info',
    icon: <Spinner className="size-5" />,
    text: 'Confirming your payment…',
  },
  paid: { tone: 'bg-info-soft text-info', icon: <Spinner className="size-5" />, text: 'Finishing your order…' },
  ready: {
    tone: 'bg-success-soft text-success',
    icon: <CircleCheck aria-hidden className={iconClass} />,
    text: 'Your order is ready',
    link: 'View order',
  },
  waiting: {
    tone: 'bg-info-soft text-info',
    icon: <Mail aria-hidden className={iconClass} />,
    text: 'A paid order is waiting',
    link: 'Verify your email',
  },
  failed: {
    tone: 'bg-warning-soft text-warning',
    icon: <TriangleAlert aria-hidden className={iconClass} />,
    text: 'Your payment did not go through. You were not charged.',
    link: 'Back to checkout',
  },
};

/** Shown below the header of every page until the buyer has seen the result of this browser's payment. */
export function PaymentNotice() {
  const payment = useStored(trackedPayment);
  const { pathname } = useLocation();
  const isInCheckout = pathname === '/checkout';
  const isUnderWay = payment?.phase === 'confirming' || payment?.phase === 'paid';
  useFollowedPayment(payment?.orderId ?? '', isUnderWay && !isInCheckout);
  useFreshOrders(payment?.phase === 'ready');
  if (payment === null || payment.phase === 'seen') return null;
  const { phase, path } = payment;
  const isFailed = phase === 'failed';
  // The checkout shows its own progress.
  if (isInCheckout && (isUnderWay || (!isFailed && path === '/checkout'))) return null;
  const { tone, icon, text, link } = { link: undefined, ...notices[phase] };
  return (
    <div ref={publishHeight} className={classNames('sticky top-16 z-30 sm:top-18', tone)}>
      <div className="mx-auto flex min-h-11 max-w-page items-center gap-3 px-4 sm:px-6">
        <div role="status" className="flex flex-1 items-center gap-3 py-2">
          {icon}
          <div className="flex flex-wrap gap-x-3 gap-y-1">
            <span>{text}</span>
            {link && !(isFailed && isInCheckout) && (
              <Link to={isFailed ? '/checkout' : path} className="font-semibold underline">
                {link}
              </Link>
            )}
          </div>
        </div>
        {link && (
          <IconButton icon={X} label="Close" onClick={() => void keepFocus(markPaymentSeen)} className="-mr-3" />
        )}
      </div>
    </div>
  );
}

/** Sets `--notice-height`, so that sticky parts of screens stop below the notice (styles.css). */
function publishHeight(notice: HTMLElement | null) {
  if (notice === null) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty('--notice-height', `${notice.offsetHeight}px`));
  observer.observe(notice);
  return () => {
    observer.disconnect();
    style.removeProperty('--notice-height');
  };
}

/** Polls the payment's state until it is final: less and less often, and only while the page is visible. */
function useFollowedPayment(orderId: string, enabled: boolean) {
  useQuery({
    queryKey: ['payment-under-way', orderId],
    queryFn: async () => {
      const { data: status } = await call('GET /digital-orders/guest/checkout/payment');
      followPayment(orderId, status);
      return status;
    },
    enabled,
    refetchInterval: ({ state }) => {
      const polls = state.dataUpdateCount + state.errorUpdateCount;
      return polls < MAX_POLLS && Math.min(FIRST_POLL_AFTER_MS * 1.5 ** polls, MAX_POLL_INTERVAL_MS);
    },
    retry: false,
    gcTime: 0,
  });
}

/** Reloads the lists of orders, because they do not contain the new order yet. */
function useFreshOrders(isReady: boolean) {
  const queries = useQueryClient();
  useEffect(() => {
    if (isReady) void queries.invalidateQueries({ queryKey: ['mine'] });
  }, [isReady, queries]);
}
