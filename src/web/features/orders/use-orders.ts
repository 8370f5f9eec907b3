import { useQuery } from '@tanstack/react-query';
import type { Order } from '../../../shared/orders.ts';
import { call } from '../../lib/api-client.ts';
import { useSession } from '../../state/session.tsx';

const LOOK_AGAIN_MS = 3000;

/** Newest first. One list failing is tolerated as empty; only both failing is a failure. */
async function readOrders(): Promise<Order[]> {
  const lists = await Promise.allSettled([
    call('GET /digital-orders/myorders'),
    call('GET /orders/myorders'),
  ]);
  const failures = lists.filter((list) => list.status === 'rejected');
  if (failures.length === lists.length) throw failures[0]?.reason;
  return lists
    .flatMap((list) => (list.status === 'fulfilled' ? list.value.data : []))
    .sort((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt));
}

// Paid a moment ago: delivery is a matter of seconds, and the page should say so by itself.
const awaitsDelivery = ({ orderType, status }: Order) => orderType === 'digital' && status === 'Processing';

export function useOrders() {
  const { user } = useSession();
  return useQuery({
    queryKey: ['mine', user?._id, 'orders'],
    queryFn: readOrders,
    refetchInterval: ({ state }) => (state.data?.some(awaitsDelivery) ? LOOK_AGAIN_MS : false),
  });
}
