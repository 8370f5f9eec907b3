import type { ReactNode, Ref } from 'react';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { Moment } from '../../../lib/moment.tsx';
import { OrderStatusBadges } from '../../../ui/order-parts.tsx';

interface OrderPageHeadProps {
  order: OrderPage;
  back: ReactNode;
  heading?: Ref<HTMLHeadingElement>;
}

export function OrderPageHead({ order, back, heading }: OrderPageHeadProps) {
  return (
    <div className="grid gap-1">
      {back}
      <div className="flex flex-wrap items-center gap-3">
        <h1 ref={heading} tabIndex={-1} className="tabular text-2xl outline-none">
          Order #{orderNumber(order._id)}
        </h1>
        <OrderStatusBadges order={order} />
      </div>
      <p className="text-muted">
        Ordered on <Moment at={order.createdAt} />
      </p>
    </div>
  );
}
