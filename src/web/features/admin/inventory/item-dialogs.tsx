import { useState } from 'react';
import type { InventoryItem } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import { FreshCodeForm } from '../fresh-code-form.tsx';

export interface ItemDialogProps {
  productId: string;
  /** Undefined closes the dialog. */
  item: InventoryItem | undefined;
  onClose(): void;
}

export function VoidDialog({ productId, item, onClose }: ItemDialogProps) {
  return (
    <ActionDialog
      title="Void this item?"
      action="Void item"
      isOpen={item !== undefined}
      send={(reason) =>
        call('POST /digital-products/:id/inventory/:itemId/void', {
          params: { id: productId, itemId: item?._id ?? '' },
          body: { reason },
        })
      }
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
  return (
    <ActionDialog
      title="Put this item on sale again?"
      action="Put on sale"
      danger={false}
      isOpen={item !== undefined}
      send={(reason) =>
        call('POST /digital-products/:id/inventory/:itemId/restore', {
          params: { id: productId, itemId: item?._id ?? '' },
          body: { reason },
        })
      }
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

/** Shows one secret to an administrator. Closing the dialog drops it. */
export function RevealDialog(props: ItemDialogProps) {
  return (
    <Dialog isOpen={props.item !== undefined} onClose={props.onClose} title="Reveal item">
      {props.item && <Reveal {...props} item={props.item} />}
    </Dialog>
  );
}

// Focuses the button, because the form that had the focus is gone.
const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function Reveal({ productId, item, onClose }: ItemDialogProps & { item: InventoryItem }) {
  const [content, setContent] = useState<string>();
  if (content !== undefined) {
    return (
      <>
        <output className="block rounded-md bg-sunken px-3.5 py-3 font-mono break-all whitespace-pre-wrap">
          {content}
        </output>
        <div className="flex flex-wrap justify-end gap-3">
          <CopyButton ref={takeFocus} text={content} />
          <Button onClick={onClose}>Hide</Button>
        </div>
      </>
    );
  }
  return (
    <FreshCodeForm
      action="Reveal item"
      purpose="Reading an item"
      send={(body) =>
        call('POST /digital-products/:id/inventory/:itemId/reveal', {
          params: { id: productId, itemId: item._id },
          body,
        })
      }
      onSent={({ data }) => setContent(data.content)}
      errorMessage="Failed to reveal the item"
      reasonHint="Kept as you write it: never write the secret itself"
      onCancel={onClose}>
      <p>
        <code className="font-mono break-all">{item.masked}</code> will be shown to you once. That you read it, when and
        why goes on record.
      </p>
    </FreshCodeForm>
  );
}
