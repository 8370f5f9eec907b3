import { CircleCheck, CloudOff, ShoppingCart } from 'lucide-react';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/card.tsx';
import { Notice } from '../../ui/form-page.tsx';

/** The card was accepted but the shop cannot be reached; nothing is lost. */
export function UnconfirmedOrder({ email, ...retry }: { email: string; loading: boolean; onClick(): void }) {
  return (
    <Notice icon={CloudOff} tone="warning" title="Your payment is safe">
      <p>
        Your card was accepted, but we cannot reach the shop to show you the order. It is finished without you: the
        order comes by mail to <strong className="wrap-anywhere">{email}</strong>. You will not be charged again.
      </p>
      <Button {...retry}>Try again</Button>
    </Notice>
  );
}

export const PAID_ELSEWHERE = 'You have just paid in another tab, so your card was not charged here.';

/** Replaces the form when another tab has bought everything in the cart. */
export function PaidElsewhere() {
  return (
    <Notice icon={CircleCheck} tone="success" title="Already Paid">
      <p>{PAID_ELSEWHERE}</p>
      <ButtonLink to="/orders">My Orders</ButtonLink>
    </Notice>
  );
}

export const EmptyCart = () => (
  <EmptyState
    heading="h1"
    icon={ShoppingCart}
    title="Your cart is empty"
    action={<ButtonLink to="/">Start Shopping</ButtonLink>}>
    Add some products to get started!
  </EmptyState>
);
