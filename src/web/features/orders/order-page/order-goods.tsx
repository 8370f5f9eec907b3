import { KeyRound } from 'lucide-react';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { OPENING_ENDS_RETURN } from '../../../../shared/order-words.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { hasNothingToOpen, ITEMS_ARE_GONE, isWhollyRefunded } from '../order-card.tsx';
import { OrderLines, OrderTotals } from '../order-lines.tsx';

interface OrderGoodsProps {
  order: OrderPage;
  /** False if the same page already shows the items. */
  canOpenItems: boolean;
}

export function OrderGoods({ order, canOpenItems }: OrderGoodsProps) {
  const opens = order.hasItems && canOpenItems && (
    <ButtonLink icon={KeyRound} to={`/order-items/${order._id}`}>
      View Items
    </ButtonLink>
  );
  return (
    <Section title="Items" beside={opens}>
      {opens && !hasNothingToOpen(order) && (
        <p className="text-sm text-muted">{isWhollyRefunded(order) ? ITEMS_ARE_GONE : OPENING_ENDS_RETURN}</p>
      )}
      <OrderLines order={order} />
      <OrderTotals order={order} />
    </Section>
  );
}
