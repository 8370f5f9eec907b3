import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatPrice } from '../../../../shared/currency.ts';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { cardName } from '../../../../shared/order-words.ts';
import { toCents } from '../../../../shared/pricing.ts';
import { call } from '../../../lib/api-client.ts';
import { useDialogCall } from '../../../state/late-answer.ts';
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

interface CancelFormProps {
  order: OrderPage;
  onCancelled(): void;
  onClose(): void;
}

function CancelForm({ order, onCancelled, onClose }: CancelFormProps) {
  const { show } = useToasts();
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: ['mine'] });
  const form = useDialogCall({
    send: async () => {
      await call('POST /orders/mine/:orderId/cancel', { params: { orderId: order._id } });
      await reload();
      show({ type: 'success', message: 'Your order is cancelled' });
    },
    errorMessage: 'The order could not be cancelled',
    onDone: onCancelled,
    // The order may have been opened, shipped or cancelled elsewhere in the meantime.
    onFailure: () => void reload(),
  });
  return (
    <Form {...form} action="Cancel order" danger cancel="Keep order" onCancel={onClose}>
      <p>
        <strong className="tabular">{formatPrice(toCents(order.totalPrice))}</strong> goes back to{' '}
        {cardName(order.card)}
        {order.hasItems && ', and the items are withdrawn'}. This cannot be undone.
      </p>
    </Form>
  );
}
