import { useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import { type AdminOrderPage, MAX_MESSAGE } from '../../../../shared/admin-orders.ts';
import { formatPrice } from '../../../../shared/currency.ts';
import { refundCents, toCents, totalsIn } from '../../../../shared/pricing.ts';
import { call } from '../../../lib/api-client.ts';
import { Choice, Field } from '../../../ui/field.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { useAction, useReason } from '../action-dialog.tsx';
import { formatDollars } from '../figures.tsx';
import type { OrderFormProps } from './order-actions.tsx';
import { UnitsOfLine } from './units-of-line.tsx';

type OrderLine = AdminOrderPage['lines'][number];

const unitsLeft = ({ quantity, refundedQuantity }: OrderLine) => quantity - refundedQuantity;

export function RefundForm({ order, onCancel, onDone }: OrderFormProps) {
  // Idempotency key: a retry after a lost response refunds nothing a second time.
  const [draft] = useState(() => uuidv7());
  const [isWhole, setIsWhole] = useState(true);
  /** Units to refund, by the id of their line. */
  const [chosen, setChosen] = useState<Record<string, number>>({});
  const [isChecked, setIsChecked] = useState(false);
  const [message, setMessage] = useState('');
  const { reason, isMissing, check, field } = useReason('For the shop alone.');
  const unitsNow = (line: OrderLine) => (isWhole ? unitsLeft(line) : (chosen[line._id] ?? 0));
  const lines = order.lines
    .map((line) => ({ line: line._id, quantity: unitsNow(line) }))
    .filter(({ quantity }) => quantity > 0);
  const cents = lines.length > 0 ? refundFor(order, unitsNow) : 0;
  const { run, ...form } = useAction({
    send: () => {
      const body = { draft, reason, message, ...(!isWhole && { lines }) };
      return call('POST /admin/orders/:id/refund', { params: { id: order._id }, body });
    },
    successMessage: `${formatPrice(cents)} goes back to the buyer`,
    errorMessage: 'The refund failed',
    onDone,
  });

  function submit() {
    setIsChecked(true);
    check();
    if (!isMissing && cents > 0) run();
  }

  return (
    <Form
      {...form}
      action={cents > 0 ? `Refund ${formatPrice(cents)}` : 'Refund'}
      danger
      onSubmit={submit}
      onCancel={onCancel}
      isFilled={!isMissing || message !== '' || Object.values(chosen).some((units) => units > 0)}>
      <p>The money goes back to the card, and what it paid for is withdrawn.</p>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-semibold">How much</legend>
        <Choice name="extent" checked={isWhole} onChoose={() => setIsWhole(true)}>
          All that is left ({formatPrice(refundFor(order, unitsLeft))})
        </Choice>
        <Choice name="extent" checked={!isWhole} onChoose={() => setIsWhole(false)}>
          Some units
        </Choice>
      </fieldset>
      {!isWhole && (
        <div className="grid gap-3">
          <ul className="grid gap-3">
            {order.lines.map((line) => (
              <UnitsOfLine
                key={line._id}
                name={line.name}
                detail={unitsLeft(line) === 0 ? 'All refunded' : `${formatDollars(line.price)} each, plus tax`}
                left={unitsLeft(line)}
                units={chosen[line._id] ?? 0}
                onChange={(units) => setChosen({ ...chosen, [line._id]: units })}
              />
            ))}
          </ul>
          {isChecked && cents === 0 && <FormProblem>Please choose what to refund</FormProblem>}
        </div>
      )}
      {field}
      <Field
        label="Message to the buyer"
        optional
        maxLength={MAX_MESSAGE}
        hint="Shown on the order's page and in the mail."
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
    </Form>
  );
}

/** Cents to refund for `unitsOf` each line, by the same rule as on the server. */
function refundFor(order: AdminOrderPage, unitsOf: (line: OrderLine) => number): number {
  const lines = order.lines.map((line) => ({
    unitPriceCents: toCents(line.price),
    quantity: line.quantity,
    refundedQuantity: line.refundedQuantity,
    units: unitsOf(line),
  }));
  return refundCents(totalsIn(order), lines);
}
