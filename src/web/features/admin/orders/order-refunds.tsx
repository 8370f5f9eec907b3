import { useState } from 'react';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { cardName, unitsInWords } from '../../../../shared/format.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Badge, Section, type Tone } from '../../../ui/display.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { ActionDialog, useAction } from '../action-dialog.tsx';
import { formatDollars, wordsOf } from '../figures.tsx';

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

/** Says why a refund failed. An administrator can retry it, or record that the buyer got the money in another way. */
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
  return (
    <div className="grid gap-2">
      <p className="text-danger">
        Refund failed{failure && `: ${wordsOf(failure)}`}. {whatNext(refund)}
      </p>
      {isSettleable && (
        <div className="flex flex-wrap gap-3">
          <Button variant="secondary" onClick={retry.run} loading={retry.isBusy}>
            Try again
          </Button>
          <Button variant="secondary" onClick={() => setIsSettling(true)}>
            Settled in another way
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
