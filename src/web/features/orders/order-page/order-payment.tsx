import type { OrderPage } from '../../../../shared/order-page.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/card.tsx';
import { RefundList } from '../order-card.tsx';

export function OrderPayment({ order }: { order: OrderPage }) {
  const { paymentMethod, isPaid, refunds } = order;
  return (
    <Section
      title="Payment"
      beside={<Badge tone={isPaid ? 'success' : 'warning'}>{isPaid ? 'Paid' : 'Pending'}</Badge>}>
      <p className="text-sm">{paymentMethod}</p>
      <RefundList refunds={refunds} />
    </Section>
  );
}
