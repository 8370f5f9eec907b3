import { useEffect, useRef, useState } from 'react';
import { type AdminOrderPage, updateOrderStatusBody } from '../../../../shared/admin-orders.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { ActionForm, ReasonForm, takesFocus, useAction } from '../action-form.tsx';
import { dollars } from '../figures.tsx';
import { RefundDialog } from './refund-dialog.tsx';

export interface OrderDialogProps {
  order: AdminOrderPage;
  isOpen: boolean;
  onClose(): void;
  onDone(): void;
}

/** What may be done to the order now, as the shop says. */
export function OrderActions({ order }: { order: AdminOrderPage }) {
  const [dialog, setDialog] = useState<'ship' | 'cancel' | 'refund' | null>(null);
  const [timesDone, setTimesDone] = useState(0);
  const group = useRef<HTMLFieldSetElement>(null);
  const { _id, allowed, refundable, state, status } = order;
  // Of a parcel there is none before it is shipped.
  const hasMail = state === 'refunded' || (state === 'fulfilled' && status !== 'Processing');
  const params = { id: _id };
  const close = () => setDialog(null);
  const done = () => {
    close();
    setTimesDone((times) => times + 1);
  };
  // The button that was pressed may be gone with what it did, and the next thing to do is near here. Its dialog, which
  // gives the focus back, has closed by then.
  useEffect(() => {
    if (timesDone > 0) group.current?.focus();
  }, [timesDone]);

  const deliver = useAction({
    send: () => call('PUT /admin/orders/:id/status', { params, body: { status: 'Delivered' } }),
    said: 'The order is marked as delivered',
    fallback: 'The order could not be marked as delivered',
    onDone: done,
  });
  const resend = useAction({
    send: () => call('POST /admin/orders/:id/resend-mail', { params }),
    said: 'The mail is on its way again',
    fallback: 'The mail could not be sent again',
  });
  const problem = deliver.problem ?? resend.problem;

  const dialogProps = (name: typeof dialog) => ({
    order,
    isOpen: dialog === name,
    onClose: close,
    onDone: done,
  });
  return (
    <fieldset
      ref={group}
      tabIndex={-1}
      className="grid gap-3 border-t border-line pt-5 outline-none empty:hidden"
    >
      <legend className="sr-only">Actions</legend>
      <div className="flex flex-wrap gap-3">
        {allowed.includes('Shipped') && <Button onClick={() => setDialog('ship')}>Mark as shipped</Button>}
        {allowed.includes('Delivered') && (
          <Button loading={deliver.isBusy} onClick={() => deliver.run()}>
            Mark as delivered
          </Button>
        )}
        {hasMail && (
          <Button variant="secondary" loading={resend.isBusy} onClick={() => resend.run()}>
            Resend mail
          </Button>
        )}
        {refundable && (
          <Button variant="danger" onClick={() => setDialog('refund')}>
            Refund
          </Button>
        )}
        {allowed.includes('Cancelled') && (
          <Button variant="danger" onClick={() => setDialog('cancel')}>
            Cancel order
          </Button>
        )}
      </div>
      {problem !== null && <FormProblem>{problem}</FormProblem>}
      <ShipDialog {...dialogProps('ship')} />
      <CancelDialog {...dialogProps('cancel')} />
      <RefundDialog {...dialogProps('refund')} />
    </fieldset>
  );
}

function CancelDialog({ order, isOpen, onClose, onDone }: OrderDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Cancel order">
      {isOpen && (
        <ReasonForm
          action="Cancel order"
          said="The order is cancelled"
          fallback="The order could not be cancelled"
          send={(reason) =>
            call('PUT /admin/orders/:id/status', {
              params: { id: order._id },
              body: { status: 'Cancelled', reason },
            })
          }
          onDone={onDone}
          onCancel={onClose}
        >
          <p>
            {order.isPaid ? (
              <>
                What was paid goes back in full:{' '}
                <strong className="tabular">{dollars(order.totalPrice - order.refundedPrice)}</strong>.
              </>
            ) : (
              'Nothing was paid, so no money moves.'
            )}{' '}
            This cannot be undone.
          </p>
        </ReasonForm>
      )}
    </Dialog>
  );
}

function ShipDialog(props: OrderDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Mark as shipped">
      {props.isOpen && <ShipForm {...props} />}
    </Dialog>
  );
}

function ShipForm({ order, onClose, onDone }: OrderDialogProps) {
  const [carrier, setCarrier] = useState('');
  const [trackingNumber, setTrackingNumber] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const { run, isBusy, problem } = useAction({
    send: () =>
      call('PUT /admin/orders/:id/status', {
        params: { id: order._id },
        body: { status: 'Shipped', carrier, trackingNumber },
      }),
    said: 'The order is marked as shipped',
    fallback: 'The order could not be marked as shipped',
    onDone,
  });

  function submit() {
    setIsChecked(true);
    if (carrier.trim() !== '' && trackingNumber.trim() !== '') run();
  }

  return (
    <ActionForm
      action="Mark as shipped"
      isBusy={isBusy}
      problem={problem}
      onSubmit={submit}
      onCancel={onClose}
      isFilled={`${carrier}${trackingNumber}`.trim() !== ''}
    >
      <Field
        ref={takesFocus}
        label="Carrier"
        required
        maxLength={maxLengthOf(updateOrderStatusBody.shape.carrier)}
        placeholder="Pos Laju"
        value={carrier}
        onChange={({ target }) => setCarrier(target.value)}
        error={isChecked && carrier.trim() === '' ? 'Please enter the carrier' : undefined}
      />
      <Field
        label="Tracking number"
        required
        maxLength={maxLengthOf(updateOrderStatusBody.shape.trackingNumber)}
        autoComplete="off"
        value={trackingNumber}
        onChange={({ target }) => setTrackingNumber(target.value)}
        error={isChecked && trackingNumber.trim() === '' ? 'Please enter the tracking number' : undefined}
      />
    </ActionForm>
  );
}
