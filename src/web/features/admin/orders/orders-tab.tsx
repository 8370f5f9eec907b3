import { CircleAlert, PackageOpen } from 'lucide-react';
import { orderStatus } from '../../../../shared/orders.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { FilterBar } from '../filter-bar.tsx';
import { LoadMore } from '../load-more.tsx';
import { OrderRow } from './order-row.tsx';
import { useOrderFilters } from './use-order-filters.ts';
import { useOrderList } from './use-order-list.ts';

export function OrdersTab() {
  const filters = useOrderFilters();
  const list = useOrderList(filters);
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="grid gap-0.5">
        <h2 className="text-xl">All Orders</h2>
        <p role="status" className="tabular text-muted">
          {list.isLoading ? 'Loading orders' : list.count}
        </p>
      </div>
      <FilterBar filters={filters} label="Search orders" placeholder="Number, name or email">
        <Select
          label="Status"
          value={filters.status}
          onChange={({ target }) => filters.chooseStatus(target.value)}
        >
          <option value="">All Status</option>
          {orderStatus.options.map((known) => (
            <option key={known} value={known}>
              {known}
            </option>
          ))}
        </Select>
      </FilterBar>
      {list.failed.length > 0 && (
        <div
          role="alert"
          className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger"
        >
          <p className="flex items-center gap-3 font-semibold">
            <CircleAlert aria-hidden className="size-5 shrink-0" />
            Failed to load orders
          </p>
          <Button variant="danger" size="sm" loading={list.isRetrying} onClick={list.retry}>
            Try again
          </Button>
        </div>
      )}
      <Orders list={list} isNarrowed={filters.isNarrowed} onClear={filters.clear} />
    </div>
  );
}

interface OrdersProps {
  list: ReturnType<typeof useOrderList>;
  isNarrowed: boolean;
  onClear(): void;
}

function Orders({ list, isNarrowed, onClear }: OrdersProps) {
  const { orders, isLoading, isWaiting, hasMore, failed } = list;
  if (isLoading) {
    return (
      <div className="grid gap-4">
        <Skeleton className="h-48" />
        <Skeleton className="h-48" />
        <Skeleton className="h-48" />
      </div>
    );
  }
  const isEmpty = orders.length === 0 && !hasMore && !isWaiting && failed.length === 0;
  return (
    <>
      <ul aria-label="Orders" aria-busy={isWaiting} className="grid grid-cols-1 gap-4">
        {orders.map((order) => (
          <li key={order._id}>
            <OrderRow order={order} />
          </li>
        ))}
      </ul>
      {isEmpty && (
        <EmptyState
          icon={PackageOpen}
          heading="h3"
          title="No orders found"
          action={
            isNarrowed && (
              <Button variant="secondary" onClick={onClear}>
                Clear filters
              </Button>
            )
          }
        >
          Orders will appear here once customers make purchases
        </EmptyState>
      )}
      <LoadMore hasMore={hasMore} isLoading={list.isLoadingMore} onLoad={() => void list.loadMore()} />
    </>
  );
}
