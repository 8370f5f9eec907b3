import { call } from '../../../lib/api-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { dollars } from '../figures.ts';
import { ReasonForm } from '../reason-form.tsx';
import type { OrderDialogProps } from './order-actions.tsx';

export function CancelDialog({ order, isOpen, onClose, onDone }: OrderDialogProps) {
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
