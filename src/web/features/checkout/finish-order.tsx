import { CircleCheck } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { formatPrice } from '../../../shared/currency.ts';
import type { CheckoutStatus } from '../../../shared/orders.ts';
import { toCents, totalsOf } from '../../../shared/pricing.ts';
import { useCart } from '../../state/cart.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { ChoosePassword } from './choose-password.tsx';
import { type PlacedOrder, placeOrder } from './place-order.ts';

interface FinishOrderProps {
  checkout: CheckoutStatus;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

/** For a buyer who comes back after the page was closed or reloaded while it paid. */
export function FinishOrder({ checkout, onPlaced }: FinishOrderProps) {
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
  const { lines } = useCart();
  async function finishedOrder(): Promise<PlacedOrder> {
    const { guest, email, orderId, orderItems, paymentIntentId } = checkout;
    if (guest) {
      const access = checkout.state === 'waiting' ? 'check-mail' : 'mailed';
      return { orderId, orderItems, guest, email, access, session: undefined };
    }
    const buyer = { guest, email, name: '', phone: '' };
    const payment = { id: paymentIntentId, status: 'requires_capture' as const };
    try {
      return await placeOrder({ buyer, quote: { lines, totals: totalsOf(lines) }, payment, password: '' });
    } catch {
      // The call was to hurry things: what is paid the shop finishes by itself, also when the cart has changed since.
      return { orderId, orderItems, guest, email, access: 'signed-in', session: undefined };
    }
  }
  const finish = useEffectEvent(async () => onPlaced(await finishedOrder()));
  useEffect(() => void finish(), []);
  return <Spinner label="One moment" className="size-8 text-accent" />;
}
