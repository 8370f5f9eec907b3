import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CloudOff, ShoppingCart } from 'lucide-react';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { orderNumber } from '../../../shared/order-words.ts';
import { useOrderVerification } from '../../state/account-status.ts';
import { useSeenOrders } from '../../state/payment-under-way.ts';
import { useShop } from '../../state/shop.ts';
import { Callout } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/card.tsx';
import { Notice, TextLink } from '../../ui/form-page.tsx';
import { MailboxLink, VerifyEmail } from '../../ui/verify-email.tsx';
import type { PlacedOrder } from './order-calls.ts';

const REDIRECT_AFTER_MS = 2000;

export function OrderSuccess({ order }: { order: PlacedOrder }) {
  useRedirectToOrders(order.access === 'signed-in', order.guest);
  useSeenOrders([order.orderId]);
  return (
    <Notice icon={CircleCheck} tone="success" title="Order Successful">
      <WayToOrder {...order} />
    </Notice>
  );
}

const thanks = {
  digital: 'Thank you. Your payment was accepted and your order is delivered.',
  manual: 'Thank you. Your payment was accepted. We deliver it by hand, and mail you when it is ready.',
  physical: 'Thank you. Your payment was accepted. We mail you as soon as your parcel is on its way.',
  unknown: 'Thank you. Your payment was accepted.',
};

function WayToOrder(order: PlacedOrder) {
  const { guest, email, access, orderType, status } = order;
  const waitsForPerson = orderType === 'digital' && status === 'Processing';
  const mailbox = useShop()?.mailbox;
  const verification = useOrderVerification(email);
  const address = <strong className="wrap-anywhere">{email}</strong>;

  if (access === 'sign-in') {
    return (
      <>
        <p>{address} already has an account here, and your order is in it. Sign in to see it.</p>
        <p className="text-muted">
          The password of that account was not changed: the password that you have just typed was not used.
        </p>
        <SignIn />
        <OtherWays {...order} />
      </>
    );
  }
  if (access === 'mailed') {
    return (
      <>
        <p>
          Your payment was accepted, and we have mailed {address} how to open your order. If you have a password here,
          you can sign in to see it.
        </p>
        <SignIn />
        <OtherWays {...order} />
        <MailboxLink path={mailbox} />
      </>
    );
  }
  if (access === 'check-mail') {
    return (
      <>
        <p>
          Your payment was accepted. There is an account for {address} already, but nobody has verified that address, so
          your order waits until you do:
        </p>
        <ol className="list-decimal pl-6 text-left">
          <li>Open the mail we have just sent there, and press its button within 7 days.</li>
          <li>Choose a new password: the one you have just typed was not used.</li>
          <li>You are signed in, and your order is there.</li>
        </ol>
        <VerifyEmail {...verification} />
        <p className="text-sm text-muted">
          Do you know the password of that account? It can stay:{' '}
          <TextLink to="/login" state={{ from: '/orders' }}>
            sign in
          </TextLink>{' '}
          and verify the address from My Orders.
        </p>
        <OtherWays {...order} />
        <ButtonLink to="/">Continue Shopping</ButtonLink>
        {!verification.isSent && <MailboxLink path={mailbox} />}
      </>
    );
  }
  return (
    <>
      <p>{thanks[waitsForPerson ? 'manual' : (orderType ?? 'unknown')]}</p>
      {guest && (
        <Callout tone="success" className="w-full">
          <h2 className="text-base">Account Created</h2>
          <p>You are signed in as {address}. Next time, sign in with the password you chose.</p>
        </Callout>
      )}
      <p className="text-muted">
        Taking you to your orders... <TextLink to="/orders">Go now</TextLink>
      </p>
    </>
  );
}

const SignIn = () => (
  <ButtonLink to="/login" state={{ from: '/orders' }}>
    Sign In
  </ButtonLink>
);

const OtherWays = ({ orderId }: PlacedOrder) => (
  <p className="text-sm text-muted">
    No password at hand, or no mail? <TextLink to="/find-order">Find your order</TextLink> with its number,{' '}
    <strong className="tabular text-ink">#{orderNumber(orderId)}</strong>, and a code that we mail you.
  </p>
);

// If a guest has become a customer, a full page load starts all screens with the new session.
function useRedirectToOrders(enabled: boolean, fullLoad: boolean) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['mine'] });
    if (!enabled) return;
    const timer = setTimeout(
      () => (fullLoad ? window.location.assign('/orders') : navigate('/orders')),
      REDIRECT_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [enabled, fullLoad, navigate, queries]);
}

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
