import { useState } from 'react';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { call } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { ActionDialog, useAction } from '../action-dialog.tsx';
import { formatDollars, wordsOf } from '../figures.tsx';

interface FailedRefundProps {
  orderId: string;
  refund: AdminOrderPage['refunds'][number];
}

/** Says why a refund failed. An administrator can retry it, or record that the buyer got the money in another way. */
export function FailedRefund({ orderId, refund }: FailedRefundProps) {
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
        isOpen={isSettling}
        send={(reason) => call('POST /admin/orders/:id/settle-refund', { params, body: { ...body, reason } })}
        hint="For example the bank transfer and its date"
        successMessage="The refund is settled"
        errorMessage="The refund could not be settled"
        onClose={() => setIsSettling(false)}>
        <p>
          This records that the buyer got <strong className="tabular">{formatDollars(amount)}</strong> in another way,
          and tells the buyer so by e-mail. The payment provider is not asked for this refund again. This cannot be
          undone.
        </p>
      </ActionDialog>
    </div>
  );
}

function whatNext({ isFollowedOnly, isSettleable }: FailedRefundProps['refund']): string {
  if (!isSettleable)
    return 'A refund of the remaining amount is in progress and may include this one. Wait until it has finished.';
  if (isFollowedOnly) return 'The buyer does not have the money. Try it again, or pay the buyer in another way.';
  return 'It is tried again every hour, unless you give it at the payment provider by hand.';
}
