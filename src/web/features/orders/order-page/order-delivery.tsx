import type { OrderPage } from '../../../../shared/order-page.ts';
import { Section } from '../../../ui/card.tsx';
import { OrderTarget } from '../order-card.tsx';
import { OrderParcels } from '../order-parcels.tsx';

/** Shows how the order is delivered, and its parcels. */
export function OrderDelivery({ order }: { order: OrderPage }) {
  return (
    <Section title="Delivery">
      <div className="text-sm">
        <OrderTarget order={order} />
      </div>
      <OrderParcels parcels={order.parcels} />
      {order.orderType === 'physical' && order.status === 'Processing' && (
        <p className="text-sm text-muted">
          {order.parcels.length > 0 ? 'The rest is being packed.' : 'Your order is being packed.'} We write to you when
          it is on its way.
        </p>
      )}
    </Section>
  );
}
