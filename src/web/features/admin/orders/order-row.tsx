import { Link, useLocation } from 'react-router';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { Card } from '../../../ui/card.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { dollars, Fact, Moment } from '../figures.tsx';
import { OrderStatus, OrderTotal, OrderType, PaidBadge } from './order-parts.tsx';
import { customerOf, emailOf } from './order-texts.ts';

const ITEMS_SHOWN = 2;

/** An order in the list; the whole card is a link to its page. */
export function OrderRow({ order }: { order: AdminOrder }) {
  const { _id, totalPrice, createdAt, orderItems } = order;
  const { search } = useLocation();
  const more = orderItems.length - ITEMS_SHOWN;
  return (
    <Card
      role="article"
      aria-labelledby={`order-${_id}`}
      className="relative grid grid-cols-1 gap-4 p-4 transition-shadow hover:shadow-lift sm:p-5">
      <div className="flex items-start justify-between gap-4">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
          <OrderType type={order.orderType} />
          <h3 id={`order-${_id}`} className="tabular text-lg">
            <Link
              to={`/admin/orders/${_id}`}
              state={{ from: search }}
              className="rounded-sm after:absolute after:inset-0 after:rounded-lg">
              #{orderNumber(_id)}
            </Link>
          </h3>
          <OrderStatus order={order} />
          <Moment at={createdAt} className="text-sm text-muted max-sm:w-full" />
        </div>
        <OrderTotal amount={totalPrice} className="text-lg" />
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm lg:grid-cols-[1fr_1.5fr_6rem_6rem]">
        <Fact label="Customer" className="max-sm:col-span-2">
          {customerOf(order)}
        </Fact>
        <Fact label="Email" className="max-sm:col-span-2">
          {emailOf(order)}
        </Fact>
        <Fact label="Items">{orderItems.length}</Fact>
        <Fact label="Payment">
          <PaidBadge isPaid={order.isPaid} />
        </Fact>
      </dl>
      <div className="flex flex-wrap items-center gap-x-8 gap-y-3 border-t border-line pt-4 text-sm">
        <ul aria-label="First items" className="contents">
          {orderItems.slice(0, ITEMS_SHOWN).map(({ _id: line, image, category, name, quantity, price }) => (
            <li key={line} className="flex min-w-0 items-center gap-3">
              <Picture src={image} category={category} alt="" className="aspect-4/3 w-14 shrink-0 rounded-sm" />
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">{name}</p>
                <p className="tabular text-muted">
                  {quantity} × {dollars(price)}
                </p>
              </div>
            </li>
          ))}
        </ul>
        {more > 0 && (
          <p className="text-muted">
            + {more} more {more === 1 ? 'item' : 'items'}
          </p>
        )}
      </div>
    </Card>
  );
}
