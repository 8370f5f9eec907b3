import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, useNavigate } from 'react-router';
import { buttonClass } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { PlacedOrder } from './place-order.ts';

const REDIRECT_AFTER_MS = 2000;

export function OrderSuccess({ order }: { order: PlacedOrder }) {
  const { guest, email, access } = order;
  useRedirectToOrders(access === 'signed-in', guest);

  if (access === 'sign-in') {
    return (
      <Success>
        <p>
          <strong>{email}</strong> already has an account here, and your order is in it. Sign in to see it.
        </p>
        <Link to="/login" state={{ from: '/orders' }} className={buttonClass()}>
          Sign In
        </Link>
      </Success>
    );
  }
  if (access === 'mailed') {
    return (
      <Success>
        <p>
          Your payment was accepted, and we have mailed <strong>{email}</strong> how to open your order. If
          you have a password here, you can sign in to see it.
        </p>
        <Link to="/login" state={{ from: '/orders' }} className={buttonClass()}>
          Sign In
        </Link>
      </Success>
    );
  }
  if (access === 'check-mail') {
    return (
      <Success>
        <p>
          We have sent a link to <strong>{email}</strong>. It opens your order, and shows us that the address
          is yours.
        </p>
        <Link to="/" className={buttonClass()}>
          Continue Shopping
        </Link>
      </Success>
    );
  }
  return (
    <Success>
      <p>Thank you. Your payment was accepted and your order is delivered.</p>
      {guest && (
        <div className="w-full rounded-md bg-success-soft px-4 py-3 text-success">
          <h2 className="text-base">Account Created</h2>
          <p>
            You are signed in as <strong>{email}</strong>. Next time, sign in with the password you chose.
          </p>
        </div>
      )}
      <p className="text-muted">
        Taking you to your orders...{' '}
        <Link to="/orders" className="font-semibold text-accent-ink underline">
          Go now
        </Link>
      </p>
    </Success>
  );
}

function Success({ children }: { children: ReactNode }) {
  return (
    <Notice icon={CircleCheck} tone="success" title="Order Successful">
      {children}
    </Notice>
  );
}

// A guest has just become a customer: a full load starts every part of the page anew with that.
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
