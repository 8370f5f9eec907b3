import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { call } from '../../../lib/api-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ReasonForm } from '../reason-form.tsx';

export type FaultyItem = AdminOrderPage['lines'][number]['items'][number] & { productName: string };

interface ReplaceDialogProps {
  orderId: string;
  /** None while the dialog is closed. */
  item: FaultyItem | null;
  onClose(): void;
}

export function ReplaceDialog({ orderId, item, onClose }: ReplaceDialogProps) {
  return (
    <Dialog isOpen={item !== null} onClose={onClose} title="Replace faulty key">
      {item && (
        <ReasonForm
          action="Replace key"
          said="The buyer has a new key"
          fallback="The key could not be replaced"
          send={(reason) =>
            call('POST /admin/orders/:id/replace-item', {
              params: { id: orderId },
              body: { item: item._id, reason },
            })
          }
          onDone={onClose}
          onCancel={onClose}
        >
          <p>
            The buyer of <strong>{item.productName}</strong> gets another key from the stock. The faulty one,{' '}
            <code className="font-mono break-all">{item.masked}</code>, is never sold again.
          </p>
        </ReasonForm>
      )}
    </Dialog>
  );
}
