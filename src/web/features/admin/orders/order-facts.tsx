import { Check, Copy } from 'lucide-react';
import { Link } from 'react-router';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatAddress } from '../../../../shared/format.ts';
import { cardName, returnedItems } from '../../../../shared/order-words.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy.tsx';
import { dollars, Fact, Moment, Section } from '../figures.tsx';
import { customerOf, emailOf } from './order-texts.ts';

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
  const { paymentMethod, paymentResult, isPaid, totalPrice, refundedPrice, cancelReason, refundReason } = order;
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
  return (
    <Section title="Delivery">
      <dl className="grid gap-3 text-sm">
        <Fact label="Address">{(shippingAddress && formatAddress(shippingAddress)) || 'None given'}</Fact>
        <Fact label="Carrier">{carrier ?? 'Not shipped yet'}</Fact>
        {trackingNumber && <Fact label="Tracking number">{trackingNumber}</Fact>}
      </dl>
    </Section>
  );
}

type Refund = AdminOrderPage['refunds'][number];

const refundStates: Record<Refund['state'], { label: string; tone: Tone }> = {
  pending: { label: 'On its way', tone: 'warning' },
  done: { label: 'Refunded', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
};

export function OrderRefunds({ refunds }: Pick<AdminOrderPage, 'refunds'>) {
  if (refunds.length === 0) return null;
  return (
    <Section title="Refunds">
      <ul className="grid gap-4 text-sm">
        {refunds.map(({ _id, amount, reason, state, at, card, items }) => (
          <li key={_id} className="grid gap-1">
            <p className="flex flex-wrap items-center justify-between gap-2">
              <span className="tabular font-semibold">{dollars(amount)}</span>
              <Badge tone={refundStates[state].tone}>{refundStates[state].label}</Badge>
            </p>
            <p className="wrap-anywhere">{reason}</p>
            {items.length > 0 && <p className="wrap-anywhere">For {returnedItems({ items })}</p>}
            {state === 'failed' && (
              <p className="text-danger">
                Refused by the payment provider. It is tried again every hour, unless you give it there by hand.
              </p>
            )}
            <p className="text-muted">
              {state === 'done' ? `To ${cardName(card)}, ` : 'Begun '}
              <Moment at={at} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** `order-delivered` as `Order delivered`. */
const nameOf = (kind: string) => kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('-', ' ');

export function OrderMails({ mails }: Pick<AdminOrderPage, 'mails'>) {
  return (
    <Section title="Mails">
      {mails.length === 0 && <p className="text-sm text-muted">No mail was sent for this order.</p>}
      <ul className="grid gap-4 text-sm empty:hidden">
        {mails.map(({ kind, recipient, createdAt, sentAt }) => (
          <li key={`${kind} ${createdAt}`} className="grid gap-0.5">
            <p className="font-semibold">{nameOf(kind)}</p>
            <p className="wrap-anywhere">{recipient}</p>
            <p className="text-muted">
              {sentAt ? 'Sent ' : 'Waiting to be sent'}
              {sentAt && <Moment at={sentAt} />}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function OrderTimeline({ events }: { events: AdminOrderPage['timeline'] }) {
  return (
    <Section title="Timeline">
      <ol className="grid gap-5 border-l-2 border-line pl-5 text-sm">
        {events.map(({ at, kind, text }) => (
          <li
            key={`${at} ${kind} ${text}`}
            className="relative before:absolute before:top-1 before:-left-[1.6rem] before:size-2.5 before:rounded-full before:bg-accent">
            <p className="wrap-anywhere">{text}</p>
            <Moment at={at} className="text-muted" />
          </li>
        ))}
      </ol>
    </Section>
  );
}
