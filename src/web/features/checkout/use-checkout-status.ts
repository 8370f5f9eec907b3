import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { CheckoutStatus } from '../../../shared/orders.ts';
import { call } from '../../lib/api-client.ts';

const KEY = ['checkout'];

/** Puts the screen that finishes `checkout` in the place of the form. */
export const showUnfinishedOrder = (queries: QueryClient, checkout: CheckoutStatus) =>
  queries.setQueryData(KEY, checkout);

/**
 * The order this browser paid without seeing the end of it, asked for once as the screen opens: null when there is
 * none, or the shop cannot be asked; undefined until it has answered.
 */
export function useUnfinishedOrder(): CheckoutStatus | null | undefined {
  const { data, isPending } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await call('GET /digital-orders/guest/checkout')).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (isPending) return undefined;
  return isPaid(data) ? data : null;
}

/** Its buyer has not seen the end of it. */
export const isPaid = (checkout: CheckoutStatus | null | undefined): checkout is CheckoutStatus =>
  checkout?.state === 'paid' || checkout?.state === 'waiting';
