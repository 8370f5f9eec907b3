import { Check, Copy } from 'lucide-react';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import { formatAddress, unitsInWords } from '../../../../shared/format.ts';
import { orderNoteBody } from '../../../../shared/order-changes.ts';
import type { Parcel } from '../../../../shared/orders.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy.tsx';
import { Section } from '../../../ui/display.tsx';
import { Form, FormProblem, TextLink } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/input.tsx';
import { PersonText } from '../../../ui/prose.tsx';
import { useAction, useKeepAs, useTextForm } from '../action-dialog.tsx';
import { Facts, wordsOf } from '../admin-page.tsx';
import { OrderRefunds } from './order-refunds.tsx';
import { customerOf, emailOf, paymentStates } from './order-texts.ts';

const cancelReasons = new Map([
  ['abandoned', 'It was not paid in time'],
  ['replaced', 'The buyer changed the cart'],
  ['payment-failed', 'The payment failed'],
  ['by-admin', 'An administrator cancelled it'],
]);

export function OrderFacts({ order }: { order: AdminOrderPage }) {
  const { user, shippingAddress, paymentResult, isPaid } = order;
  const reason = order.refundReason ?? cancelReasons.get(order.cancelReason ?? '');
  const customer = customerOf(order);
  return (
    <div className="grid grid-cols-1 gap-6">
      <Section title="Customer">
        <Facts
          facts={{
            Name: user ? <TextLink to={`/admin/users/${user._id}`}>{customer}</TextLink> : customer,
            Email: emailOf(order),
            Phone: order.phone,
            'Ordered from': order.ip,
            'Items open': order.itemsOpenAt && <Moment at={order.itemsOpenAt} />,
          }}
        />
      </Section>
      <Section title="Payment">
        <Facts
          className="grid-cols-2"
          facts={{
            Method: order.paymentMethod,
            State: paymentStates[order.state],
            Paid: formatDollars(isPaid ? order.totalPrice : 0),
            Refunded: formatDollars(order.refundedPrice),
          }}
        />
        {paymentResult && <PaymentId id={paymentResult.id} />}
        {isPaid && (
          <TextLink to={`/orders/${order._id}/receipt`} className="content-center pointer-coarse:min-h-11">
            Receipt and credit notes
          </TextLink>
        )}
        {reason && <Facts facts={{ [isPaid ? 'Given back because' : 'Cancelled because']: reason }} />}
      </Section>
      {order.orderType === 'physical' && (
        <Section title="Delivery">
          <Facts
            facts={{
              Address: (shippingAddress && formatAddress(shippingAddress)) || 'None given',
              Parcels: order.parcels.length === 0 ? 'Not shipped yet' : null,
            }}
          />
          {order.parcels.map((parcel) => (
            <ParcelFacts key={parcel._id} order={order} parcel={parcel} />
          ))}
        </Section>
      )}
      <OrderRefunds order={order} />
      <OrderMails mails={order.mails} />
    </div>
  );
}

function ParcelFacts({ order, parcel }: { order: AdminOrderPage; parcel: Parcel }) {
  const { carrier, trackingNumber, trackingUrl, shippedAt, deliveredAt, items } = parcel;
  const deliver = useAction({
    send: () =>
      call('POST /admin/orders/:id/deliver-parcel', { params: { id: order._id }, body: { parcel: parcel._id } }),
    successMessage: `Parcel ${parcel.number} is marked as delivered`,
    errorMessage: 'The parcel could not be marked as delivered',
  });
  // A parcel with the whole order has no button here, because the order's button marks it as delivered.
  const isOneOfSeveral = order.parcels.length > 1 || order.allowed.includes('Shipped');
  return (
    <div className="mt-4 grid gap-3 border-t border-line pt-4">
      <Facts
        facts={{
          Parcel: unitsInWords(items),
          Carrier: carrier,
          'Tracking number': trackingUrl ? (
            <a href={trackingUrl} target="_blank" rel="noreferrer" className="underline">
              {trackingNumber}
            </a>
          ) : (
            trackingNumber
          ),
          Shipped: <Moment at={shippedAt} />,
          Delivered: deliveredAt && <Moment at={deliveredAt} />,
        }}
      />
      {deliveredAt === null && order.state === 'fulfilled' && isOneOfSeveral && (
        <Button variant="secondary" onClick={deliver.run} loading={deliver.isBusy}>
          Mark parcel {parcel.number} as delivered
        </Button>
      )}
      <FormProblem>{deliver.problem}</FormProblem>
    </div>
  );
}

function PaymentId({ id }: { id: string }) {
  const { copied, copy } = useCopy();
  return (
    <div className="flex items-center gap-1 rounded-md bg-sunken pl-3">
      <code className="min-w-0 flex-1 py-2 font-mono text-sm break-all">{id}</code>
      <IconButton icon={copied ? Check : Copy} label="Copy payment id" onClick={() => void copy(id)} />
      <span aria-live="polite" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </div>
  );
}

function OrderMails({ mails }: Pick<AdminOrderPage, 'mails'>) {
  return (
    <Section title="Mails">
      {mails.length === 0 && <p className="text-sm text-muted">No mail was sent for this order.</p>}
      <ul className="grid gap-4 text-sm empty:hidden">
        {mails.map(({ kind, recipient, createdAt, sentAt, refusedAt }) => (
          <li key={`${kind} ${createdAt}`} className="grid gap-0.5">
            <p className="font-semibold">{wordsOf(kind)}</p>
            <p className="wrap-anywhere">{recipient}</p>
            {!sentAt && !refusedAt && <p className="text-muted">Waiting to be sent</p>}
            {sentAt && (
              <p className="text-muted">
                Sent <Moment at={sentAt} />
              </p>
            )}
            {refusedAt && (
              <p className="text-danger">
                Could not be sent, given up <Moment at={refusedAt} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function OrderNotes({ order }: { order: AdminOrderPage }) {
  const { field, form } = useTextForm({
    missing: 'Please write a note',
    keepAs: useKeepAs('note', order._id),
    send: (text, draft) => call('POST /admin/orders/:id/notes', { params: { id: order._id }, body: { text, draft } }),
    successMessage: 'The note is written',
    errorMessage: 'The note could not be written',
  });
  return (
    <Section title="Notes">
      {order.notes.length === 0 && <p className="text-sm text-muted">No notes yet.</p>}
      <ol aria-label="Notes" className="grid gap-4 text-sm empty:hidden">
        {order.notes.map(({ _id, text, author, at }) => (
          <li key={_id} className="grid gap-0.5">
            <PersonText className="text-base">{text}</PersonText>
            <p className="text-muted wrap-anywhere">
              {author}, <Moment at={at} />
            </p>
          </li>
        ))}
      </ol>
      <Form {...form} layout="dialog" action="Add note">
        <TextArea
          {...field}
          label="New note"
          rows={3}
          hint="For administrators only: the buyer never sees it"
          maxLength={maxLengthOf(orderNoteBody.shape.text)}
        />
      </Form>
    </Section>
  );
}
