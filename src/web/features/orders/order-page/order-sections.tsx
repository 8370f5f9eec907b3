import type { OrderPage } from '../../../../shared/order-page.ts';
import { OrderDelivery } from './order-delivery.tsx';
import { OrderGoods } from './order-goods.tsx';
import { OrderPayment } from './order-payment.tsx';
import { OrderReports } from './order-reports.tsx';
import { OrderSteps } from './order-steps.tsx';

interface OrderSectionsProps {
  order: OrderPage;
  /** False if the same page already shows the items. */
  canOpenItems?: boolean;
  /** Opens a receipt without a session, which the page of a receipt would need. */
  onReceipt?: (number: number) => void;
}

/** The sections below the head of an order's page. */
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
