import { CircleAlert, CircleCheck, CloudOff, ShoppingCart } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Callout } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice, TextLink } from '../../ui/form-page.tsx';

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

export const NOT_LOADED = 'Stripe not loaded';

/** Replaces a card form that could not be loaded. */
export function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <Callout role="alert" tone="danger" className="flex flex-wrap items-center gap-2">
      <CircleAlert aria-hidden className="size-5 shrink-0" />
      <span className="mr-auto">{NOT_LOADED}</span>
      <Button size="sm" variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </Callout>
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

const LONG_WAIT_MS = 4000;

export function LongWait() {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="text-center text-sm text-balance text-muted empty:hidden">
      {isLong &&
        'This is taking longer than usual. Your money is safe: you are never charged twice, even if you leave this page.'}
    </p>
  );
}

interface SameOrderDialogProps {
  /** The shop's question; undefined closes the dialog. */
  question: string | undefined;
  guest: boolean;
  onCancel(): void;
  onBuyAgain(): void;
}

export const SameOrderDialog = ({ question, guest, onCancel, onBuyAgain }: SameOrderDialogProps) => (
  <Dialog title="Same order again" isOpen={question !== undefined} onClose={onCancel}>
    <p>{question}</p>
    <p className="text-muted">
      Your card has not been charged for this one.{' '}
      {!guest && (
        <TextLink to="/orders" replace>
          My Orders
        </TextLink>
      )}
    </p>
    <div className="flex flex-wrap justify-end gap-3">
      <Button variant="secondary" onClick={onCancel}>
        Cancel
      </Button>
      <Button onClick={onBuyAgain}>Buy again</Button>
    </div>
  </Dialog>
);
