import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Mail, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import { call } from '../../lib/api-client.ts';
import { storage } from '../../lib/storage.ts';
import { useStored } from '../../lib/stored-value.ts';
import { followPayment, markSeen } from '../../state/payment-under-way.ts';
import { IconButton, Spinner } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';

// Each poll also asks the provider. An order is delivered or abandoned within 15 minutes.
const FIRST_POLL_AFTER_MS = 1_500;
const MAX_POLL_INTERVAL_MS = 30_000;
const MAX_POLLS = 40;

const tones = {
  underWay: 'bg-info-soft text-info',
  ready: 'bg-success-soft text-success',
  failed: 'bg-warning-soft text-warning',
};

/** Shown below the header of every page until the buyer has seen the result of this browser's payment. */
export function PaymentNotice() {
  const payment = useStored(storage.payment);
  const { pathname } = useLocation();
  const isInCheckout = pathname === '/checkout';
  const isUnderWay = payment?.phase === 'confirming' || payment?.phase === 'paid';
  const isReady = payment?.phase === 'ready';
  const isWaiting = payment?.phase === 'waiting';
  useFollowedPayment(payment?.orderId ?? '', isUnderWay && !isInCheckout);
  useFreshOrders(isReady);
  if (payment === null || payment.phase === 'seen') return null;
  const { phase, path } = payment;
  // The checkout shows its own progress.
  if (isInCheckout && (isUnderWay || ((isReady || isWaiting) && path === '/checkout'))) return null;

  if (phase === 'ready') {
    return (
      <Bar tone="ready" icon={<CircleCheck aria-hidden className="size-5 shrink-0" />} isClosable>
        <span>Your order is ready</span>
        <Link to={path} className="font-semibold underline">
          View order
        </Link>
      </Bar>
    );
  }
  if (isWaiting) {
    return (
      <Bar tone="underWay" icon={<Mail aria-hidden className="size-5 shrink-0" />} isClosable>
        <span>A paid order is waiting</span>
        <Link to={path} className="font-semibold underline">
          Verify your e-mail
        </Link>
      </Bar>
    );
  }
  if (phase === 'failed') {
    return (
      <Bar tone="failed" icon={<TriangleAlert aria-hidden className="size-5 shrink-0" />} isClosable>
        <span>Your payment did not go through. You were not charged.</span>
        {!isInCheckout && (
          <Link to="/checkout" className="font-semibold underline">
            Back to checkout
          </Link>
        )}
      </Bar>
    );
  }
  return (
    <Bar tone="underWay" icon={<Spinner className="size-5" />}>
      <span>{phase === 'paid' ? 'Finishing your order…' : 'Confirming your payment…'}</span>
    </Bar>
  );
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

/** Reloads the lists of orders, which do not have the new order yet. */
function useFreshOrders(isReady: boolean) {
  const queries = useQueryClient();
  useEffect(() => {
    if (isReady) void queries.invalidateQueries({ queryKey: ['mine'] });
  }, [isReady, queries]);
}

interface BarProps {
  tone: keyof typeof tones;
  icon: ReactNode;
  isClosable?: boolean;
  children: ReactNode;
}

function Bar({ tone, icon, isClosable = false, children }: BarProps) {
  return (
    <div className={classNames('sticky top-16 z-30 sm:top-18', tones[tone])}>
      <div className="mx-auto flex min-h-11 max-w-page items-center gap-3 px-4 sm:px-6">
        <div role="status" className="flex flex-1 items-center gap-3 py-2">
          {icon}
          <div className="flex flex-wrap gap-x-3 gap-y-1">{children}</div>
        </div>
        {isClosable && (
          <IconButton label="Close" onClick={markSeen} className="-mr-3">
            <X aria-hidden className="size-5" />
          </IconButton>
        )}
      </div>
    </div>
  );
}
