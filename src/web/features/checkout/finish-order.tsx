import { CircleCheck } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { formatPrice } from '../../../shared/currency.ts';
import type { CheckoutStatus } from '../../../shared/orders.ts';
import { toCents } from '../../../shared/pricing.ts';
import { markPaid } from '../../state/payment-under-way.ts';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { ChoosePassword } from './choose-password.tsx';
import { hurryOrder, type PlacedOrder } from './place-order.ts';

interface FinishOrderProps {
  checkout: CheckoutStatus;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

/** For a buyer who comes back after the page was closed or reloaded while it paid. */
export function FinishOrder({ checkout, onPlaced }: FinishOrderProps) {
  const { orderId, orderItems } = checkout;
  useEffect(() => markPaid(orderId, orderItems), [orderId, orderItems]);
  const asksPassword = checkout.guest && checkout.needsPassword;
  return (
    <Notice icon={CircleCheck} tone="success" title="Finishing your order">
      <p>
        Your payment of <strong className="tabular">{formatPrice(toCents(checkout.totalPrice))}</strong> was
        accepted.
        {asksPassword && ' Choose a password for your account, and your order is open to you.'}
      </p>
      {asksPassword ? (
        <ChoosePassword checkout={checkout} onPlaced={onPlaced} />
      ) : (
        <Finishing checkout={checkout} onPlaced={onPlaced} />
      )}
    </Notice>
  );
}

function Finishing({ checkout, onPlaced }: FinishOrderProps) {
  async function finishedOrder(): Promise<PlacedOrder> {
    const { guest, email, orderId, orderItems } = checkout;
    if (guest) {
      const access = checkout.state === 'waiting' ? 'check-mail' : 'mailed';
      return { orderId, orderItems, guest, email, access, session: undefined };
    }
    // The call is to hurry things: what is paid the shop finishes by itself.
    await Promise.allSettled([hurryOrder(checkout)]);
    return { orderId, orderItems, guest, email, access: 'signed-in', session: undefined };
  }
  const finish = useEffectEvent(async () => onPlaced(await finishedOrder()));
  useEffect(() => void finish(), []);
  return <Spinner label="One moment" className="size-8 text-accent" />;
}
