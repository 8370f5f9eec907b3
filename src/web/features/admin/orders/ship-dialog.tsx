import { useState } from 'react';
import { updateOrderStatusBody } from '../../../../shared/admin-orders.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { ActionForm, takesFocus } from '../action-form.tsx';
import { useAction } from '../use-action.ts';
import type { OrderDialogProps } from './order-actions.tsx';

export function ShipDialog(props: OrderDialogProps) {
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
