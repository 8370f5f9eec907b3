import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { PackageOpen } from 'lucide-react';
import type { Order } from '../../../shared/orders.ts';
import { call } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { refetchWhile } from '../../lib/refetch-while.ts';
import { useEmailVerification } from '../../state/account-status.ts';
import { useSeenOrders } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { LoadFailure, Loading } from '../../ui/loading.tsx';
import { VerifyEmail } from '../../ui/verify-email.tsx';
import { OrderCard } from './order-card.tsx';

export function OrdersScreen() {
  const verification = useEmailVerification();
  useTitle('My Orders');
  return (
    <div className="mx-auto grid w-full max-w-[60rem] gap-6 px-4 py-8 sm:px-6">
      <h1 className="text-2xl">My Orders</h1>
      {verification && <VerifyEmail {...verification} />}
      <OrderList />
    </div>
  );
}

function OrderList() {
  const { user } = useSession();
  const list = useInfiniteQuery({
    queryKey: ['mine', user?._id, 'orders'],
    queryFn: ({ pageParam }) => readPage(pageParam),
    initialPageParam: { digital: null, physical: null } as Cursors,
    getNextPageParam: ({ next }) => (Object.keys(next).length > 0 ? next : null),
    refetchInterval: refetchWhile(({ pages }: InfiniteData<OrdersPage>) =>
      pages.some(({ orders }) => orders.some(awaitsDelivery)),
    ),
  });
  const { data, isError } = list;
  const orders = data && inSequence(data.pages);
  useSeenOrders(orders?.map(({ _id }) => _id) ?? []);
  if (orders === undefined && isError) {
    return <LoadFailure title="Failed to load orders" query={list} />;
  }
  if (orders === undefined) {
    return (
      <Loading label="Loading your orders">
        <Skeleton className="h-80" />
        <Skeleton className="h-80" />
      </Loading>
    );
  }
  if (orders.length === 0) {
    return (
      <EmptyState icon={PackageOpen} title="No Orders Yet" action={<ButtonLink to="/">Start Shopping</ButtonLink>}>
        Your orders will appear here, ready to open.
      </EmptyState>
    );
  }
  return (
    <>
      {orders.map((order) => (
        <OrderCard key={order._id} order={order} />
      ))}
      <LoadMore list={list} of="orders" label="Show older orders" />
    </>
  );
}

type Kind = Order['orderType'];

/** Where to read on in each of the two lists; null at its beginning, absent after its end. */
type Cursors = Partial<Record<Kind, string | null>>;

interface OrdersPage {
  orders: Order[];
  next: Cursors;
}

const lists = { digital: 'GET /digital-orders/myorders', physical: 'GET /orders/myorders' } as const;

/** Loads the next page of each list. If one of them fails, it counts as empty; throws if all fail. */
async function readPage(cursors: Cursors): Promise<OrdersPage> {
  const kinds = (['digital', 'physical'] as const).filter((kind) => cursors[kind] !== undefined);
  const answers = await Promise.allSettled(
    kinds.map((kind) => call(lists[kind], { query: cursors[kind] ? { cursor: cursors[kind] } : {} })),
  );
  const failures = answers.filter((answer) => answer.status === 'rejected');
  if (failures.length === answers.length) throw failures[0]?.reason;
  const page: OrdersPage = { orders: [], next: {} };
  for (const [place, answer] of answers.entries()) {
    if (answer.status === 'rejected') continue;
    const { data, nextCursor } = answer.value;
    page.orders.push(...data);
    if (nextCursor !== null) page.next[kinds[place] as Kind] = nextCursor;
  }
  return page;
}

/** Merges the two lists, newest first, down to where one of them is not loaded any further. */
function inSequence(pages: readonly OrdersPage[]): Order[] {
  const orders = pages.flatMap((page) => page.orders);
  const timeOf = ({ createdAt }: Order) => Date.parse(createdAt);
  const unfinished = Object.keys(pages.at(-1)?.next ?? {});
  const loadedTo = unfinished.map((kind) =>
    Math.min(...orders.filter(({ orderType }) => orderType === kind).map(timeOf)),
  );
  return orders
    .filter((order) => timeOf(order) >= Math.max(...loadedTo))
    .sort((one, other) => timeOf(other) - timeOf(one));
}

// The order was just paid. Its delivery takes seconds, unless a person delivers units.
const awaitsDelivery = ({ orderType, status, waitingUnits }: Order) =>
  orderType === 'digital' && status === 'Processing' && waitingUnits === 0;
