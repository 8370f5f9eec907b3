import type { OrderPage } from '../../../../shared/order-page.ts';
import { OrderDelivery } from './order-delivery.tsx';
import { OrderGoods } from './order-goods.tsx';
import { OrderPayment } from './order-payment.tsx';
import { OrderSteps } from './order-steps.tsx';

/** The column below the head of an order's page: each section is a component in a file of its own. */
export function OrderSections({ order, canOpenItems = true }: { order: OrderPage; canOpenItems?: boolean }) {
  return (
    <>
      <OrderGoods order={order} canOpenItems={canOpenItems} />
      <OrderDelivery order={order} />
      <OrderPayment order={order} />
      <OrderSteps order={order} />
    </>
  );
}
