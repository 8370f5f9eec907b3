import { useState } from 'react';
import type { AdminOrderLine, AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { updateOrderStatusBody } from '../../../../shared/order-changes.ts';
import { carriers } from '../../../../shared/shipping.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { useKeptState } from '../../../lib/forms.ts';
import { Select } from '../../../ui/field.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { Field } from '../../../ui/input.tsx';
import { useAction, useAsSent, useKeepAs, useRequiredText } from '../action-dialog.tsx';

export function ShipForm({ order: latest, onClose }: { order: AdminOrderPage; onClose(): void }) {
  const isShipped = latest.lines.every((line) => line.unshippedQuantity === 0);
  const [order, onFailure] = useAsSent(latest, isShipped);
  const carrier = useRequiredText('Please enter the carrier', useKeepAs('carrier', order._id));
  const trackingNumber = useRequiredText('Please enter the tracking number', useKeepAs('tracking', order._id));
  const [isChecked, setIsChecked] = useState(false);
  const [chosen, setChosen] = useKeptState<Record<string, number>>(useKeepAs('units to ship', order._id), {});
  const waiting = order.lines.filter((line) => line.unshippedQuantity > 0);
  const unitsOf = (line: (typeof waiting)[number]) => chosen[line._id] ?? line.unshippedQuantity;
  const isWhole = waiting.every((line) => unitsOf(line) === line.unshippedQuantity);
  const lines = waiting
    .map((line) => ({ line: line._id, quantity: unitsOf(line) }))
    .filter(({ quantity }) => quantity > 0);
  const what = isWhole ? 'The order' : 'The parcel';
  const params = { id: order._id };
  const { run, ...form } = useAction({
    // Always names the units, so that an outdated tab either ships exactly what it shows or is rejected.
    send: (draft) => {
      const body = { carrier: carrier.text, trackingNumber: trackingNumber.text, lines, draft };
      return call('POST /admin/orders/:id/ship', { params, body });
    },
    successMessage: `${what} is marked as shipped`,
    errorMessage: `${what} could not be marked as shipped`,
    onDone: onClose,
    onFailure,
  });
  function submit() {
    setIsChecked(true);
    const areTextsGiven = [carrier, trackingNumber].map(({ check }) => check()).every(Boolean);
    if (areTextsGiven && lines.length > 0) run();
  }
  return (
    <Form
      {...form}
      action="Mark as shipped"
      onSubmit={submit}
      onCancel={onClose}
      focused
      isFilled={!carrier.isMissing || !trackingNumber.isMissing || !isWhole}>
      <Field
        {...carrier.field}
        label="Carrier"
        maxLength={maxLengthOf(updateOrderStatusBody.shape.carrier)}
        placeholder="Pos Laju"
        list="carriers"
      />
      <datalist id="carriers">
        {carriers.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field
        {...trackingNumber.field}
        label="Tracking number"
        maxLength={maxLengthOf(updateOrderStatusBody.shape.trackingNumber)}
        autoComplete="off"
      />
      {(waiting.reduce((sum, { unshippedQuantity }) => sum + unshippedQuantity, 0) > 1 || !isWhole) && (
        <div className="grid gap-3">
          <p className="text-sm text-muted">Other units wait for another parcel.</p>
          <UnitsOfLines
            lines={waiting}
            detailOf={(line) => `${line.unshippedQuantity} to be shipped`}
            leftOf={(line) => line.unshippedQuantity}
            unitsOf={unitsOf}
            onChange={(line, units) => setChosen({ ...chosen, [line._id]: units })}
          />
        </div>
      )}
      {isChecked && lines.length === 0 && !form.isBusy && (
        <FormProblem>{waiting.length === 0 ? 'Nothing is left to ship' : 'Please choose what to ship'}</FormProblem>
      )}
    </Form>
  );
}

interface UnitsOfLinesProps {
  lines: readonly AdminOrderLine[];
  detailOf(line: AdminOrderLine): string;
  leftOf(line: AdminOrderLine): number;
  unitsOf(line: AdminOrderLine): number;
  onChange(line: AdminOrderLine, units: number): void;
}

export const UnitsOfLines = ({ lines, detailOf, leftOf, unitsOf, onChange }: UnitsOfLinesProps) => (
  <ul className="grid gap-3">
    {lines.map((line) => (
      <li key={line._id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 flex-1 basis-32 text-sm">
          <span className="block font-semibold wrap-anywhere">{line.name}</span>
          <span className="tabular text-muted">{detailOf(line)}</span>
        </p>
        <Select
          label={`Units of ${line.name}`}
          labelHidden
          className="w-24 shrink-0"
          disabled={leftOf(line) === 0}
          value={unitsOf(line)}
          options={Array.from({ length: leftOf(line) + 1 }, (_, count) => String(count))}
          onChange={({ target }) => onChange(line, Number(target.value))}
        />
      </li>
    ))}
  </ul>
);
