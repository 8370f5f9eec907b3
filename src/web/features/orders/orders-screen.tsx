import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound, PackageOpen } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import { contains, OPENING_ENDS_RETURN, orderNumber, plural } from '../../../shared/format.ts';
import type { Order } from '../../../shared/orders.ts';
import { MAX_SEARCH_LENGTH } from '../../../shared/paging.ts';
import { toCents } from '../../../shared/pricing.ts';
import { call } from '../../lib/api-client.ts';
import { Moment } from '../../lib/moment.tsx';
import { changedParams, useDebouncedParams, useTitle } from '../../lib/page.ts';
import { mineKey, useEmailVerification, useOwnReviews } from '../../state/account-status.ts';
import { isAwaited, refetchWhile } from '../../state/answers.ts';
import { useSeenOrders } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { useCurrency } from '../../state/shop.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/display.tsx';
import { VerifyEmail } from '../../ui/form-page.tsx';
import { SearchField } from '../../ui/input.tsx';
import { LoadFailure, Loading, LoadMore } from '../../ui/loading.tsx';
import { OrderStatusBadges, PaidBadge } from '../../ui/order-parts.tsx';
import {
  hasNothingToOpen,
  isWhollyRefunded,
  OrderLines,
  OrderParcels,
  OrderTarget,
  OrderTotals,
  RefundList,
} from './order-details.tsx';

export function OrdersScreen() {
  const verification = useEmailVerification();
  useTitle('My Orders');
  return (
    <div className="mx-auto grid w-full max-w-[60rem] grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      <h1 className="text-2xl">My Orders</h1>
      {verification && <VerifyEmail {...verification} />}
      <OrderList />
    </div>
  );
}

// A list of no more orders needs no search.
const FEW = 5;

function OrderList() {
  const [params, setParams] = useSearchParams();
  const { typed, type } = useDebouncedParams({ q: params.get('q') ?? '' }, (words) =>
    setParams(changedParams(words), { replace: true }),
  );
  const everything = useOwnOrders('');
  const found = useOwnOrders(everything.hasNextPage ? (params.get('q') ?? '').trim() : '');
  const reviews = useOwnReviews();
  const loaded = everything.data?.pages;
  const all = inSequence(loaded ?? []);
  useSeenOrders(all.map(({ _id }) => _id));
  if (loaded === undefined && everything.isError) {
    return <LoadFailure title="Failed to load orders" query={everything} />;
  }
  if (loaded === undefined || isAwaited(reviews)) {
    return (
      <Loading label="Loading your orders">
        <Skeleton className="h-80" />
        <Skeleton className="h-80" />
      </Loading>
    );
  }
  if (all.length === 0) {
    return (
      <EmptyState icon={PackageOpen} title="No Orders Yet" action={<ButtonLink to="/">Start Shopping</ButtonLink>}>
        Your orders will appear here, ready to open.
      </EmptyState>
    );
  }
  const term = typed.q.trim();
  // The browser searches the loaded orders at once, and the server the rest.
  const orders = inSequence(found.data?.pages ?? loaded).filter((order) => isFound(order, term));
  return (
    <>
      {(all.length > FEW || everything.hasNextPage || term !== '') && (
        <search>
          <SearchField
            label="Search your orders"
            placeholder="Product or order number"
            maxLength={MAX_SEARCH_LENGTH}
            value={typed.q}
            onChange={(q) => type({ q })}
          />
          <p role="status" className="sr-only">
            {term !== '' &&
              !found.isPlaceholderData &&
              !found.isError &&
              `${orders.length} ${plural(orders.length, 'order')} shown`}
          </p>
        </search>
      )}
      {orders.map((order) => (
        <OrderCard key={order._id} order={order} />
      ))}
      {found.isLoadingError && <LoadFailure title="Failed to search your orders" query={found} />}
      {orders.length === 0 && !found.hasNextPage && !found.isPlaceholderData && !found.isError && (
        <EmptyState icon={PackageOpen} title="No orders found">
          <span className="wrap-anywhere">No results for "{term}"</span>
        </EmptyState>
      )}
      <LoadMore list={found} of="orders" label="Show older orders" />
    </>
  );
}

function OrderCard({ order }: { order: Order }) {
  const { format } = useCurrency();
  const number = orderNumber(order._id);
  const headingId = `order-${order._id}`;
  return (
    <Card role="article" aria-labelledby={headingId} className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid gap-1">
          <div className="flex flex-wrap items-center gap-3">
            <h2 id={headingId} className="tabular text-lg">
              <Link
                to={`/orders/${order._id}`}
                className="-my-2.5 inline-block py-2.5 underline decoration-line underline-offset-4 hover:decoration-current">
                Order #{number}
              </Link>
            </h2>
            <OrderStatusBadges order={order} />
          </div>
          <Moment at={order.createdAt} className="text-sm text-muted" />
        </div>
        <p className="tabular text-xl font-bold wrap-anywhere">
          <span className="sr-only">Total </span>
          {format(toCents(order.totalPrice))}
        </p>
      </div>

      <div className="flex flex-wrap items-center justify-between gap-4 rounded-md bg-sunken px-4 py-3 text-sm">
        <div className="grid min-w-0 gap-1.5">
          <OrderTarget order={order} />
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="text-muted">Payment:</span> {order.paymentMethod}
            <PaidBadge isPaid={order.isPaid} />
          </p>
        </div>
        {order.hasItems && (
          <div className="grid gap-1.5 max-sm:w-full sm:justify-items-end">
            <ButtonLink icon={KeyRound} to={`/order-items/${order._id}`} className="max-sm:w-full">
              View Items<span className="sr-only"> of order {number}</span>
            </ButtonLink>
            {!isWhollyRefunded(order) && !hasNothingToOpen(order) && (
              <p className="text-xs text-muted max-sm:text-center">{OPENING_ENDS_RETURN}</p>
            )}
          </div>
        )}
      </div>

      <OrderParcels parcels={order.parcels} />

      <RefundList refunds={order.refunds} />

      <OrderLines order={order} />
      <OrderTotals order={order} />
    </Card>
  );
}

const isFound = ({ _id, orderItems }: Order, term: string) =>
  [`#${orderNumber(_id)}`, ...orderItems.map(({ name }) => name)].some((text) => contains(text, term));

/** The user's orders whose number, or the name of a product in them, contains `q`. */
function useOwnOrders(q: string) {
  const { user } = useSession();
  return useInfiniteQuery({
    queryKey: mineKey(user?._id, 'orders', q),
    queryFn: ({ pageParam }) => readPage(pageParam, q),
    initialPageParam: { digital: null, physical: null } as Cursors,
    getNextPageParam: ({ next }) => (Object.keys(next).length > 0 ? next : null),
    // Never those of another user.
    placeholderData: (before, query) => (query?.queryKey[1] === user?._id ? before : undefined),
    refetchInterval: refetchWhile(({ pages }: InfiniteData<OrdersPage>) =>
      pages.some(({ orders }) => orders.some(awaitsDelivery)),
    ),
  });
}

type Kind = Order['orderType'];

/** Where to read on in each of the two lists; null at its beginning, absent after its end. */
type Cursors = Partial<Record<Kind, string | null>>;

interface OrdersPage {
  orders: Order[];
  next: Cursors;
}

const lists = { digital: 'GET /digital-orders/myorders', physical: 'GET /orders/myorders' } as const;

/** Loads the next page of each list of the orders that `q` finds. If one of them fails, it counts as empty; throws if all fail. */
async function readPage(cursors: Cursors, q: string): Promise<OrdersPage> {
  const kinds = (['digital', 'physical'] as const).filter((kind) => cursors[kind] !== undefined);
  const answers = await Promise.allSettled(
    kinds.map((kind) => call(lists[kind], { query: { q, ...(cursors[kind] && { cursor: cursors[kind] }) } })),
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
