import type { OrderPage } from '../../../../shared/order-page.ts';
import { cardName } from '../../../../shared/order-words.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/card.tsx';
import { RefundList } from '../order-card.tsx';
import { OrderReceipts } from './order-receipts.tsx';

interface OrderPaymentProps {
  order: OrderPage;
  onReceipt?: ((number: number) => void) | undefined;
}

export function OrderPayment({ order, onReceipt }: OrderPaymentProps) {
  const { paymentMethod, card, isPaid, refunds } = order;
  return (
    <Section
      title="Payment"
      beside={<Badge tone={isPaid ? 'success' : 'warning'}>{isPaid ? 'Paid' : 'Pending'}</Badge>}>
      <p className="text-sm">{card ? cardName(card) : paymentMethod}</p>
      <RefundList refunds={refunds} />
      <OrderReceipts order={order} onOpen={onReceipt} />
    </Section>
  );
}
