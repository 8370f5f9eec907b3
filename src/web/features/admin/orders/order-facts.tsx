import { Check, Copy } from 'lucide-react';
import { Link } from 'react-router';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { useCopy } from '../../../lib/use-copy.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Fact, Section } from '../facts.tsx';
import { dollars } from '../figures.ts';
import { customerOf, emailOf } from './merge-orders.ts';

interface OrderFactsProps {
  order: AdminOrderPage;
}

export function OrderBuyer({ order }: OrderFactsProps) {
  const { user, phone, ip } = order;
  return (
    <Section title="Customer">
      <dl className="grid gap-3 text-sm">
        <Fact label="Name">
          {user ? (
            <Link to={`/admin/users/${user._id}`} className="font-semibold text-accent-ink underline">
              {customerOf(order)}
            </Link>
          ) : (
            customerOf(order)
          )}
        </Fact>
        <Fact label="Email">{emailOf(order)}</Fact>
        {phone && <Fact label="Phone">{phone}</Fact>}
        {ip && <Fact label="Ordered from">{ip}</Fact>}
      </dl>
    </Section>
  );
}

const cancelReasons = new Map([
  ['abandoned', 'It was not paid in time'],
  ['replaced', 'The buyer changed the cart'],
  ['payment-failed', 'The payment failed'],
  ['by-admin', 'An administrator cancelled it'],
]);

export function OrderPayment({ order }: OrderFactsProps) {
  const { paymentMethod, paymentResult, isPaid, totalPrice, refundedPrice, cancelReason, refundReason } =
    order;
  const reason = refundReason ?? cancelReasons.get(cancelReason ?? '');
  return (
    <Section title="Payment">
      <dl className="grid grid-cols-2 gap-3 text-sm">
        <Fact label="Method">{paymentMethod}</Fact>
        <Fact label="State">{paymentResult?.status ?? 'none'}</Fact>
        <Fact label="Paid">{dollars(isPaid ? totalPrice : 0)}</Fact>
        <Fact label="Refunded">{dollars(refundedPrice)}</Fact>
      </dl>
      {paymentResult && <PaymentId id={paymentResult.id} />}
      {reason && (
        <dl className="text-sm">
          <Fact label={order.isPaid ? 'Given back because' : 'Cancelled because'}>{reason}</Fact>
        </dl>
      )}
    </Section>
  );
}

function PaymentId({ id }: { id: string }) {
  const { copied, copy } = useCopy();
  const Icon = copied ? Check : Copy;
  return (
    <div className="flex items-center gap-1 rounded-md bg-sunken pl-3">
      <code className="min-w-0 flex-1 py-2 font-mono text-sm break-all">{id}</code>
      <IconButton label="Copy payment id" onClick={() => void copy(id)}>
        <Icon aria-hidden className="size-5" />
      </IconButton>
      <span aria-live="polite" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </div>
  );
}

export function OrderShipping({ order: { shippingAddress, carrier, trackingNumber } }: OrderFactsProps) {
  const address = shippingAddress && [
    shippingAddress.street,
    shippingAddress.city,
    `${shippingAddress.zipCode} ${shippingAddress.state}`.trim(),
    shippingAddress.country,
  ];
  return (
    <Section title="Delivery">
      <dl className="grid gap-3 text-sm">
        <Fact label="Address">{address?.filter(Boolean).join(', ') || 'None given'}</Fact>
        <Fact label="Carrier">{carrier ?? 'Not shipped yet'}</Fact>
        {trackingNumber && <Fact label="Tracking number">{trackingNumber}</Fact>}
      </dl>
    </Section>
  );
}
