import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatPrice } from '../../../../shared/currency.ts';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { cardName } from '../../../../shared/order-words.ts';
import { toCents } from '../../../../shared/pricing.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useLateAnswer } from '../../../state/late-answer.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form-page.tsx';

/** The button to cancel an order, with its dialog; shown only while the order is cancellable. */
export function CancelOrder({ order, onCancelled }: { order: OrderPage; onCancelled(): void }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      {order.cancellable && (
        <Button variant="danger" onClick={() => setIsOpen(true)}>
          Cancel order
        </Button>
      )}
      <Dialog isOpen={isOpen} onClose={close} title="Cancel this order?">
        {isOpen && (
          <CancelForm
            order={order}
            onCancelled={() => {
              close();
              onCancelled();
            }}
            onClose={close}
          />
        )}
      </Dialog>
    </>
  );
}

const NOT_CANCELLED = 'The order could not be cancelled';

interface CancelFormProps {
  order: OrderPage;
  onCancelled(): void;
  onClose(): void;
}

function CancelForm({ order, onCancelled, onClose }: CancelFormProps) {
  const { show } = useToasts();
  const queries = useQueryClient();
  const { isShown, showLate } = useLateAnswer();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /orders/mine/:orderId/cancel', { params: { orderId: order._id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['mine'] });
      show({ type: 'success', message: 'Your order is cancelled' });
      if (isShown.current) onCancelled();
    },
    onError: (failure) => {
      showLate(messageOf(failure, NOT_CANCELLED));
      // The order may have been opened, shipped or cancelled elsewhere in the meantime.
      void queries.invalidateQueries({ queryKey: ['mine'] });
    },
  });
  return (
    <Form
      action="Cancel order"
      danger
      cancel="Keep order"
      onCancel={onClose}
      onSubmit={() => mutate()}
      isBusy={isPending}
      problem={error && messageOf(error, NOT_CANCELLED)}>
      <p>
        <strong className="tabular">{formatPrice(toCents(order.totalPrice))}</strong> goes back to{' '}
        {cardName(order.card)}
        {order.hasItems && ', and the items are withdrawn'}. This cannot be undone.
      </p>
    </Form>
  );
}
