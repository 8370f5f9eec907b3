import type { InventoryItem } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { RevealDialog } from './reveal-dialog.tsx';

export interface ItemDialogProps {
  productId: string;
  /** Undefined closes the dialog. */
  item: InventoryItem | undefined;
  onClose(): void;
}

export function VoidDialog({ productId, item, onClose }: ItemDialogProps) {
  const params = { id: productId, itemId: item?._id ?? '' };
  return (
    <ActionDialog
      title="Void this item?"
      action="Void item"
      isOpen={item !== undefined}
      send={(reason) => call('POST /digital-products/:id/inventory/:itemId/void', { params, body: { reason } })}
      successMessage="The item is voided"
      errorMessage="Failed to void the item"
      onClose={onClose}>
      <p>
        <code className="font-mono break-all">{item?.masked}</code> is taken off sale, which can be undone unless
        somebody has read it. The reason is kept with it; do not write the secret into it.
      </p>
    </ActionDialog>
  );
}

export function RestoreDialog({ productId, item, onClose }: ItemDialogProps) {
  const params = { id: productId, itemId: item?._id ?? '' };
  return (
    <ActionDialog
      title="Put this item on sale again?"
      action="Put on sale"
      danger={false}
      isOpen={item !== undefined}
      send={(reason) => call('POST /digital-products/:id/inventory/:itemId/restore', { params, body: { reason } })}
      successMessage="The item is on sale again"
      errorMessage="Failed to put the item on sale again"
      onClose={onClose}>
      <p>
        Nobody has read <code className="font-mono break-all">{item?.masked}</code>, so another buyer can have it. That
        you put it on sale again, when and why goes on record.
      </p>
    </ActionDialog>
  );
}

export const RevealItemDialog = ({ productId, item, onClose }: ItemDialogProps) => (
  <RevealDialog
    title="Reveal item"
    isOpen={item !== undefined}
    purpose="Reading an item"
    send={(body) =>
      call('POST /digital-products/:id/inventory/:itemId/reveal', {
        params: { id: productId, itemId: item?._id ?? '' },
        body,
      })
    }
    errorMessage="Failed to reveal the item"
    reasonHint="Stored as you write it. Do not include the secret."
    onClose={onClose}>
    <code className="font-mono break-all">{item?.masked}</code>
  </RevealDialog>
);
