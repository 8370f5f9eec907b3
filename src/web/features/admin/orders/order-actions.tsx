import { type ComponentProps, useState } from 'react';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import { email as emailText } from '../../../../shared/text.ts';
import { call, openFile } from '../../../lib/api-client.ts';
import { useKeptState } from '../../../lib/forms.ts';
import { useIsShown } from '../../../state/answers.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button, keepFocus } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Callout } from '../../../ui/display.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Field } from '../../../ui/input.tsx';
import { ActionDialog, useAction, useAsSent, useKeepAs } from '../action-dialog.tsx';
import { downloadFile, useReloadDashboard } from '../dashboard.ts';
import { FreshCodeForm } from '../fresh-code-form.tsx';
import { RefundForm } from './order-refunds.tsx';
import { ShipForm } from './ship-form.tsx';

const DISPUTED = 'The payment is disputed with the bank. Until it is decided, nothing can be refunded or cancelled.';
const FROZEN = 'Items that the buyer has not seen are frozen.';
const freezes = {
  // For a dispute that has ended and was of a part only: a lost dispute of the whole payment withdraws the items.
  dispute:
    'A dispute of a part of the payment was lost. Items that the buyer has not seen are frozen, until you unfreeze them or refund the order.',
  inquiry: `The bank inquires about the payment. Answer it at the payment provider, or refund the order before it is disputed. ${FROZEN}`,
  'fraud-warning': `The bank warns that the payment may be fraud. ${FROZEN}`,
  restore:
    'Since the restored backup was made, parts of this order may have been refunded, and its items sold to another buyer. Everything that the buyer has not received is held back. ' +
    'Enter refunds again that were given since: the money goes back only once.',
};

/** Returns what an administrator has to know before acting on a frozen or disputed order; null for any other order. */
function bannerOf({ frozen, disputed }: AdminOrderPage): string | null {
  // An inquiry or a warning may follow a dispute, but the server rejects the advised refund until the bank has decided.
  if (disputed && frozen !== 'restore') return frozen ? `${DISPUTED} ${FROZEN}` : DISPUTED;
  const why = frozen && freezes[frozen];
  return disputed ? `${DISPUTED} ${why}` : why;
}

export function OrderActions({ order }: { order: AdminOrderPage }) {
  const [dialog, setDialog] = useState<'ship' | 'cancel' | 'refund' | 'email' | 'unfreeze' | null>(null);
  const { _id, allowed, refundable, emailCorrectable, questioned, frozen, state } = order;
  const banner = bannerOf(order);
  const hasMail = state === 'refunded' || state === 'fulfilled';
  const params = { id: _id };
  const close = () => setDialog(null);

  const deliver = useAction({
    send: () => call('PUT /admin/orders/:id/status', { params, body: { status: 'Delivered' } }),
    successMessage: 'The order is marked as delivered',
    errorMessage: 'The order could not be marked as delivered',
  });
  const resend = useAction({
    send: (draft) => call('POST /admin/orders/:id/resend-mail', { params, body: { draft } }),
    successMessage: 'The mail is on its way again',
    errorMessage: 'The mail could not be sent again',
  });
  const evidence = useAction({
    send: async () => downloadFile(await openFile('POST /admin/orders/:id/evidence', { params })),
    successMessage: 'The evidence is downloaded: print it to a PDF for the payment provider',
    errorMessage: 'The evidence could not be made',
  });
  const problem = deliver.problem ?? resend.problem ?? evidence.problem;
  const buttons: [isOffered: boolean, label: string, props: ComponentProps<typeof Button>][] = [
    [allowed.includes('Shipped'), 'Mark as shipped', { onClick: () => setDialog('ship') }],
    [allowed.includes('Delivered'), 'Mark as delivered', { onClick: deliver.run, loading: deliver.isBusy }],
    [hasMail, 'Resend mail', { onClick: resend.run, loading: resend.isBusy, variant: 'secondary' }],
    [emailCorrectable, 'Correct email', { onClick: () => setDialog('email'), variant: 'secondary' }],
    [questioned, 'Download evidence', { onClick: evidence.run, loading: evidence.isBusy, variant: 'secondary' }],
    [frozen !== null, 'Unfreeze items', { onClick: () => setDialog('unfreeze'), variant: 'secondary' }],
    [refundable, 'Refund', { onClick: () => setDialog('refund'), variant: 'danger' }],
    [allowed.includes('Cancelled'), 'Cancel order', { onClick: () => setDialog('cancel'), variant: 'danger' }],
  ];
  const offered = buttons.filter(([isOffered]) => isOffered);
  const ruled = offered.length > 0 || banner ? 'border-t border-line pt-5' : '';
  return (
    <fieldset tabIndex={-1} className={`grid gap-3 outline-none print:hidden ${ruled}`}>
      <legend className="sr-only">Actions</legend>
      {banner && <Callout tone="warning">{banner}</Callout>}
      <div className="flex flex-wrap gap-3">
        {offered.map(([, label, props]) => (
          <Button key={label} {...props}>
            {label}
          </Button>
        ))}
      </div>
      <FormProblem>{problem}</FormProblem>
      <Dialog isOpen={dialog === 'ship'} onClose={close} title="Mark as shipped">
        <ShipForm order={order} onClose={close} />
      </Dialog>
      <CancelDialog order={order} isOpen={dialog === 'cancel'} onClose={close} />
      <UnfreezeDialog order={order} isOpen={dialog === 'unfreeze'} onClose={close} />
      <Dialog isOpen={dialog === 'email'} onClose={close} title="Correct email">
        <CorrectEmailForm order={order} onClose={close} />
      </Dialog>
      <Dialog isOpen={dialog === 'refund'} onClose={close} title="Refund">
        <RefundForm order={order} onClose={close} />
      </Dialog>
    </fieldset>
  );
}

interface OrderDialogProps {
  order: AdminOrderPage;
  isOpen: boolean;
  onClose(): void;
}

const CancelDialog = ({ order, ...dialog }: OrderDialogProps) => (
  <ActionDialog
    {...dialog}
    title="Cancel order"
    cancel="Keep order"
    about={order._id}
    send={(reason, draft) =>
      call('PUT /admin/orders/:id/status', { params: { id: order._id }, body: { status: 'Cancelled', reason, draft } })
    }
    successMessage="The order is cancelled"
    errorMessage="The order could not be cancelled">
    {order.isPaid ? (
      <p>
        What was paid goes back in full:{' '}
        <strong className="tabular">{formatDollars(order.totalPrice - order.refundedPrice)}</strong>. This cannot be
        undone.
      </p>
    ) : (
      <p>Nothing was paid, so no money moves. This cannot be undone.</p>
    )}
  </ActionDialog>
);

function UnfreezeDialog({ order: { _id: id, frozen }, ...dialog }: OrderDialogProps) {
  const [cause, onFailure] = useAsSent(frozen, frozen === null);
  return (
    <ActionDialog
      {...dialog}
      title="Unfreeze items"
      about={id}
      send={(reason) =>
        call('POST /admin/orders/:id/unfreeze', { params: { id }, body: { reason, ...(cause && { frozen: cause }) } })
      }
      onFailure={onFailure}
      successMessage="The buyer can open the items again"
      errorMessage="The items could not be unfrozen">
      <p>The buyer can open the unseen items, whatever the bank decides.</p>
    </ActionDialog>
  );
}

function CorrectEmailForm({ order, onClose }: { order: AdminOrderPage; onClose(): void }) {
  const [email, setEmail] = useKeptState(useKeepAs('right email', order._id), '');
  const [isChecked, setIsChecked] = useState(false);
  const { show } = useToasts();
  const isShown = useIsShown();
  const reload = useReloadDashboard();
  const isValid = emailText.safeParse(email).success;
  function checkFields() {
    setIsChecked(true);
    return isValid;
  }
  return (
    <FreshCodeForm
      action="Correct email"
      purpose="Correcting an email"
      about={order._id}
      send={({ reason, code }) =>
        call('POST /admin/orders/:id/correct-email', { params: { id: order._id }, body: { email, reason, code } })
      }
      onSent={() =>
        keepFocus(async () => {
          await reload();
          show({ type: 'success', message: 'The email is corrected, and both addresses are notified' });
          if (isShown.current) onClose();
        })
      }
      errorMessage="The email could not be corrected"
      checkFields={checkFields}
      isFilled={email !== ''}
      onCancel={onClose}>
      <p className="wrap-anywhere">
        The order leaves <strong>{order.contactEmail}</strong>: its links and sessions end, both addresses are notified,
        and the items open an hour later.
      </p>
      <Field
        label="Right email"
        type="email"
        autoComplete="off"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
        error={isChecked && !isValid ? 'Please enter an email address' : undefined}
      />
    </FreshCodeForm>
  );
}
