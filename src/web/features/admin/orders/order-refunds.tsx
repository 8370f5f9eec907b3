import { useState } from 'react';
import type { AdminOrderLine, AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatDollars, formatPrice } from '../../../../shared/currency.ts';
import { cardName, unitsInWords } from '../../../../shared/format.ts';
import { MAX_REFUND_MESSAGE } from '../../../../shared/order-changes.ts';
import { refundCents, toCents, toDollars, totalsIn } from '../../../../shared/pricing.ts';
import { call } from '../../../lib/api-client.ts';
import { useKeptState } from '../../../lib/forms.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Badge, Section, type Tone } from '../../../ui/display.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { Choice, Field } from '../../../ui/input.tsx';
import { ActionDialog, useAction, useAsSent, useKeepAs, useReason } from '../action-dialog.tsx';
import { wordsOf } from '../admin-page.tsx';
import { UnitsOfLines } from './ship-form.tsx';

type Refund = AdminOrderPage['refunds'][number];

const refundStates: Record<Refund['state'], { label: string; tone: Tone }> = {
  pending: { label: 'Under way', tone: 'warning' },
  done: { label: 'Refunded', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
};

export function OrderRefunds({ order: { _id: orderId, refunds } }: { order: AdminOrderPage }) {
  if (refunds.length === 0) return null;
  return (
    <Section title="Refunds">
      <ul className="grid gap-4 text-sm">
        {refunds.map((refund) => {
          const { _id, amount, reason, message, state, at, card, items, settledNote } = refund;
          return (
            <li key={_id} className="grid gap-1">
              <p className="flex flex-wrap items-center justify-between gap-2">
                <span className="tabular font-semibold">{formatDollars(amount)}</span>
                <Badge tone={refundStates[state].tone}>{refundStates[state].label}</Badge>
              </p>
              <p className="wrap-anywhere">{reason}</p>
              {message && <p className="wrap-anywhere">The buyer reads: {message}</p>}
              {items.length > 0 && <p className="wrap-anywhere">For {unitsInWords(items)}</p>}
              {state === 'failed' && <FailedRefund orderId={orderId} refund={refund} />}
              {settledNote && <p className="wrap-anywhere">Given in another way: {settledNote}</p>}
              <p className="text-muted">
                {state !== 'done' ? 'Begun ' : settledNote ? 'On ' : `To ${cardName(card)}, `}
                <Moment at={at} />
              </p>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function FailedRefund({ orderId, refund }: { orderId: string; refund: Refund }) {
  const [isSettling, setIsSettling] = useState(false);
  const { _id, attempt, amount, failure, isSettleable } = refund;
  const params = { id: orderId };
  const body = { refund: _id, attempt };
  const retry = useAction({
    send: () => call('POST /admin/orders/:id/retry-refund', { params, body }),
    successMessage: 'The refund is tried again',
    errorMessage: 'The refund could not be tried again',
  });
  const ofRefund = <span className="sr-only"> (refund of {formatDollars(amount)})</span>;
  return (
    <div className="grid gap-2">
      <p className="text-danger">
        Refund failed{failure && `: ${wordsOf(failure)}`}. {whatNext(refund)}
      </p>
      {isSettleable && (
        <div className="flex flex-wrap gap-3">
          <Button variant="secondary" onClick={retry.run} loading={retry.isBusy}>
            Try again{ofRefund}
          </Button>
          <Button variant="secondary" onClick={() => setIsSettling(true)}>
            Settled in another way{ofRefund}
          </Button>
        </div>
      )}
      <FormProblem>{retry.problem}</FormProblem>
      <ActionDialog
        title="Settled in another way"
        about={_id}
        isOpen={isSettling}
        send={(reason) => call('POST /admin/orders/:id/settle-refund', { params, body: { ...body, reason } })}
        hint="For example the bank transfer and its date"
        successMessage="The refund is settled"
        errorMessage="The refund could not be settled"
        onClose={() => setIsSettling(false)}>
        <p>
          This records that the buyer got <strong className="tabular">{formatDollars(amount)}</strong> in another way,
          and tells the buyer so by email. The payment provider is not asked for this refund again. This cannot be
          undone.
        </p>
      </ActionDialog>
    </div>
  );
}

function whatNext({ isFollowedOnly, isSettleable }: Refund): string {
  if (!isSettleable)
    return 'A refund of the remaining amount is in progress and may include this one. Wait until it has finished.';
  if (isFollowedOnly) return 'The buyer does not have the money. Try it again, or pay the buyer in another way.';
  return 'The shop tries again every hour, unless you refund the money at the payment provider yourself.';
}

const unitsLeft = ({ quantity, refundedQuantity }: AdminOrderLine) => quantity - refundedQuantity;

type Extent = 'all' | 'units' | 'amount';

export function RefundForm({ order: latest, onClose }: { order: AdminOrderPage; onClose(): void }) {
  const [order, onFailure] = useAsSent(latest, centsLeft(latest) === 0);
  const { extent, cents, isRight, isFilled, body, fields, problem, showProblem } = useRefundExtent(order);
  const [message, setMessage] = useKeptState(useKeepAs('refund message', order._id), '');
  const keptReason = useKeepAs('refund reason', order._id);
  const { reason, isMissing, check, field } = useReason('Visible to administrators only.', keptReason);
  const { run, ...form } = useAction({
    send: (draft) =>
      call('POST /admin/orders/:id/refund', { params: { id: order._id }, body: { draft, reason, message, ...body } }),
    successMessage: `${formatPrice(cents)} goes back to the buyer`,
    errorMessage: 'The refund failed',
    onDone: onClose,
    onFailure,
  });

  function submit() {
    showProblem();
    if (check() && isRight) run();
  }

  return (
    <Form
      {...form}
      action={cents > 0 ? `Refund ${formatPrice(cents)}` : 'Refund'}
      danger
      onSubmit={submit}
      onCancel={onClose}
      focused
      isFilled={!isMissing || message !== '' || isFilled}>
      <p>
        {extent === 'amount'
          ? 'The money goes back to the card, and the buyer keeps the goods.'
          : 'The money goes back to the card, and the goods are withdrawn.'}
      </p>
      {order.givenByHand && (
        <p>
          A part was given back at the payment provider. A refund of units or an amount here that is not more than that
          part counts as it, and no more money goes back. If it was for something else, acknowledge its alert first.
        </p>
      )}
      {fields}
      {!form.isBusy && <FormProblem>{problem}</FormProblem>}
      {field}
      <Field
        label="Message to the buyer"
        optional
        maxLength={MAX_REFUND_MESSAGE}
        hint="Shown on the order's page and in the mail."
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
    </Form>
  );
}

/** The amount of a refund, and the fields that choose it. After `showProblem`, a wrong amount shows its error. */
function useRefundExtent(order: AdminOrderPage) {
  const [extent, setExtent] = useKeptState<Extent>(useKeepAs('refund extent', order._id), 'all');
  const [amount, setAmount] = useKeptState(useKeepAs('refund amount', order._id), '');
  /** Units to refund, by the id of their line. */
  const [chosen, setChosen] = useKeptState<Record<string, number>>(useKeepAs('refund units', order._id), {});
  const [isChecked, setIsChecked] = useState(false);
  const unitsNow = (line: AdminOrderLine) => (extent === 'all' ? unitsLeft(line) : (chosen[line._id] ?? 0));
  const lines = order.lines
    .map((line) => ({ line: line._id, quantity: unitsNow(line) }))
    .filter(({ quantity }) => quantity > 0);
  const left = centsLeft(order);
  const typedCents = /^\d{1,7}(\.\d{1,2})?$/.test(amount.trim()) ? toCents(Number(amount)) : 0;
  // All units return all the money that is left, which is less than their price after a refund of an amount.
  const hasChosenAll = order.lines.every((line) => unitsNow(line) === unitsLeft(line));
  const units = order.lines.map((line) => ({ ...line, unitPriceCents: toCents(line.price), units: unitsNow(line) }));
  const ofUnits = hasChosenAll ? left : refundCents(totalsIn(order), units);
  const cents = { all: left, units: lines.length === 0 ? 0 : ofUnits, amount: typedCents }[extent];
  const amountProblem = extent === 'amount' && left > 0 ? problemOfAmount(typedCents, left) : undefined;
  const unitsProblem = extent === 'units' && cents === 0 ? 'Please choose what to refund' : undefined;
  const problem = left === 0 ? 'Nothing is left to refund' : unitsProblem;

  const choiceOf = (name: Extent) => ({ name: 'extent', checked: extent === name, onChoose: () => setExtent(name) });
  const fields = (
    <>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-semibold">How much</legend>
        <Choice {...choiceOf('all')}>All that is left ({formatPrice(left)})</Choice>
        <Choice {...choiceOf('units')}>Some units</Choice>
        <Choice {...choiceOf('amount')}>An amount</Choice>
      </fieldset>
      {extent === 'amount' && (
        <Field
          label="Amount (USD)"
          inputMode="decimal"
          autoComplete="off"
          required
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
          error={isChecked ? amountProblem : undefined}
        />
      )}
      {extent === 'units' && (
        <div className="grid gap-3">
          <UnitsOfLines
            lines={order.lines}
            detailOf={(line) =>
              unitsLeft(line) === 0 ? 'All refunded' : `${formatDollars(line.price)} each, plus tax`
            }
            leftOf={unitsLeft}
            unitsOf={unitsNow}
            onChange={(line, units) => setChosen({ ...chosen, [line._id]: units })}
          />
        </div>
      )}
    </>
  );

  return {
    extent,
    cents,
    isRight: cents > 0 && left > 0 && amountProblem === undefined,
    isFilled: amount !== '' || Object.values(chosen).some((units) => units > 0),
    body: { ...(extent === 'units' && { lines }), ...(extent === 'amount' && { amount: toDollars(typedCents) }) },
    fields,
    problem: isChecked ? problem : undefined,
    showProblem: () => setIsChecked(true),
  };
}

/** Returns the cents of the order that no refund covers, whether the refund is pending, done or failed. */
const centsLeft = ({ totalPrice, refunds }: AdminOrderPage) =>
  toCents(totalPrice) - refunds.reduce((sum, { amount }) => sum + toCents(amount), 0);

function problemOfAmount(cents: number, left: number): string | undefined {
  if (cents === 0) return 'Please enter an amount in dollars and cents, as in 12.50';
  if (cents >= left) return `Please enter less than the ${formatPrice(left)} that is left, or refund all of it`;
  return undefined;
}
