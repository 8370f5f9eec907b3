import { useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatPrice } from '../../../../shared/currency.ts';
import { refundCents, toCents } from '../../../../shared/pricing.ts';
import { call } from '../../../lib/api-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { ActionForm, REASON_MISSING, ReasonField, useAction } from '../action-form.tsx';
import { dollars } from '../figures.tsx';
import type { OrderDialogProps } from './order-actions.tsx';

type Line = AdminOrderPage['lines'][number];

export function RefundDialog(props: OrderDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Refund">
      {props.isOpen && <RefundForm {...props} />}
    </Dialog>
  );
}

/** What the shop will give back, by its own rule; `unitsOf` a line go back now. */
function amountOf(order: AdminOrderPage, unitsOf: (line: Line) => number): number {
  const totals = {
    itemsCents: toCents(order.itemsPrice),
    taxCents: toCents(order.taxPrice),
    shippingCents: toCents(order.shippingPrice),
    totalCents: toCents(order.totalPrice),
  };
  const lines = order.lines.map((line) => ({
    unitPriceCents: toCents(line.price),
    quantity: line.quantity,
    refundedQuantity: line.refundedQuantity,
    units: unitsOf(line),
  }));
  return refundCents(totals, lines);
}

const unitsLeft = ({ quantity, refundedQuantity }: Line) => quantity - refundedQuantity;

function RefundForm({ order, onClose, onDone }: OrderDialogProps) {
  // Names the refund, so that a second try after a lost answer gives no second one.
  const [draft] = useState(() => uuidv7());
  const [isWhole, setIsWhole] = useState(true);
  const [chosen, setChosen] = useState<ChosenUnits>({});
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const unitsNow = (line: Line) => (isWhole ? unitsLeft(line) : (chosen[line._id] ?? 0));
  const cents = order.lines.some((line) => unitsNow(line) > 0) ? amountOf(order, unitsNow) : 0;
  const isReasonMissing = reason.trim() === '';
  const { run, isBusy, problem } = useAction({
    send: () =>
      call('POST /admin/orders/:id/refund', {
        params: { id: order._id },
        body: { draft, reason, ...(!isWhole && { lines: wished() }) },
      }),
    said: `${formatPrice(cents)} goes back to the buyer`,
    fallback: 'The refund failed',
    onDone,
  });

  function wished() {
    const units = order.lines.map((line) => ({ line: line._id, quantity: unitsNow(line) }));
    return units.filter(({ quantity }) => quantity > 0);
  }

  function submit() {
    setIsChecked(true);
    if (!isReasonMissing && cents > 0) run();
  }

  return (
    <ActionForm
      action={cents > 0 ? `Refund ${formatPrice(cents)}` : 'Refund'}
      danger
      isBusy={isBusy}
      problem={problem}
      onSubmit={submit}
      onCancel={onClose}
      isFilled={!isReasonMissing || Object.values(chosen).some((units) => units > 0)}
    >
      <p>The money goes back to the card, and what it paid for is withdrawn.</p>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-semibold">How much</legend>
        <Choice
          label={`All that is left (${formatPrice(amountOf(order, unitsLeft))})`}
          checked={isWhole}
          onChoose={() => setIsWhole(true)}
        />
        <Choice label="Some units" checked={!isWhole} onChoose={() => setIsWhole(false)} />
      </fieldset>
      {!isWhole && (
        <RefundUnits
          lines={order.lines}
          chosen={chosen}
          onChange={setChosen}
          error={isChecked && cents === 0 ? 'Please choose what to refund' : undefined}
        />
      )}
      <ReasonField
        value={reason}
        onChange={setReason}
        error={isChecked && isReasonMissing ? REASON_MISSING : undefined}
      />
    </ActionForm>
  );
}

interface ChoiceProps {
  label: string;
  checked: boolean;
  onChoose(): void;
}

function Choice({ label, checked, onChoose }: ChoiceProps) {
  return (
    <label className="flex min-h-11 items-center gap-3 rounded-md border border-edge px-4 has-checked:border-accent has-checked:bg-accent-soft has-checked:font-semibold has-checked:text-accent-ink">
      <input
        type="radio"
        name="extent"
        checked={checked}
        onChange={onChoose}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  );
}

/** How many units, by the id of their line. */
export type ChosenUnits = Record<string, number>;

interface RefundUnitsProps {
  lines: AdminOrderPage['lines'];
  chosen: ChosenUnits;
  onChange(chosen: ChosenUnits): void;
  error: string | undefined;
}

function RefundUnits({ lines, chosen, onChange, error }: RefundUnitsProps) {
  return (
    <div className="grid gap-3">
      <ul className="grid gap-3">
        {lines.map(({ _id, name, price, quantity, refundedQuantity }) => {
          const left = quantity - refundedQuantity;
          return (
            <li key={_id} className="flex items-center justify-between gap-4">
              <p className="min-w-0 text-sm">
                <span className="block font-semibold wrap-anywhere">{name}</span>
                <span className="tabular text-muted">
                  {left === 0 ? 'All refunded' : `${dollars(price)} each, plus tax`}
                </span>
              </p>
              <Select
                label={`Units of ${name}`}
                labelHidden
                className="w-24 shrink-0"
                disabled={left === 0}
                value={chosen[_id] ?? 0}
                onChange={({ target }) => onChange({ ...chosen, [_id]: Number(target.value) })}
              >
                {Array.from({ length: left + 1 }, (_, units) => units).map((units) => (
                  <option key={units} value={units}>
                    {units}
                  </option>
                ))}
              </Select>
            </li>
          );
        })}
      </ul>
      {error && <FormProblem>{error}</FormProblem>}
    </div>
  );
}
