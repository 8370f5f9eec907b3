import type { OrderPage } from '../../../../shared/order-page.ts';
import { OrderDelivery } from './order-delivery.tsx';
import { OrderGoods } from './order-goods.tsx';
import { OrderPayment } from './order-payment.tsx';
import { OrderReports } from './order-reports.tsx';
import { OrderSteps } from './order-steps.tsx';

interface OrderSectionsProps {
  order: OrderPage;
  /** False where the items themselves stand beside it. */
  canOpenItems?: boolean;
  /** Opens a receipt where there is no session that opens its page. */
  onReceipt?: (number: number) => void;
}

/** The column below the head of an order's page: each section is a component in a file of its own. */
export function OrderSections({ order, canOpenItems = true, onReceipt }: OrderSectionsProps) {
  return (
    <>
      <OrderGoods order={order} canOpenItems={canOpenItems} />
      {canOpenItems && order.hasItems && <OrderReports orderId={order._id} />}
      <OrderDelivery order={order} />
      <OrderPayment order={order} onReceipt={onReceipt} />
      <OrderSteps order={order} />
    </>
  );
}
