import type { InventoryItem } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ReasonForm } from '../action-form.tsx';

export interface ItemDialogProps {
  productId: string;
  /** Closed without one. */
  item: InventoryItem | undefined;
  onClose(): void;
}

export function VoidDialog({ productId, item, onClose }: ItemDialogProps) {
  return (
    <Dialog isOpen={item !== undefined} onClose={onClose} title="Void this item?">
      {item && (
        <ReasonForm
          action="Void item"
          said="The item is voided"
          fallback="Failed to void the item"
          send={(reason) =>
            call('POST /digital-products/:id/inventory/:itemId/void', {
              params: { id: productId, itemId: item._id },
              body: { reason },
            })
          }
          onDone={onClose}
          onCancel={onClose}
        >
          <p>
            <code className="font-mono break-all">{item.masked}</code> will never be sold. The reason is kept
            with it; do not write the secret into it.
          </p>
        </ReasonForm>
      )}
    </Dialog>
  );
}
