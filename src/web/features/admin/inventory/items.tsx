import { Ban, Eye, FolderInput, type LucideIcon, Undo2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import { orderNumber } from '../../../../shared/format.ts';
import { type InventoryItem, type ItemState, MAX_ITEM_LENGTH } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Badge, type Tone } from '../../../ui/display.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/input.tsx';
import { ActionDialog, useAction, useRequiredText } from '../action-dialog.tsx';
import { RevealDialog } from '../fresh-code-form.tsx';

export const itemStates: Record<ItemState, { name: string; tone: Tone }> = {
  available: { name: 'Available', tone: 'success' },
  held: { name: 'On hold', tone: 'warning' },
  allocated: { name: 'Being paid', tone: 'warning' },
  sold: { name: 'Sold', tone: 'info' },
  quarantined: { name: 'Quarantined', tone: 'neutral' },
  burnt: { name: 'Burnt', tone: 'danger' },
  voided: { name: 'Voided', tone: 'neutral' },
};

export const ItemStateBadge = ({ state }: { state: ItemState }) => (
  <Badge tone={itemStates[state].tone}>{itemStates[state].name}</Badge>
);

export type ItemAction = 'void' | 'reveal' | 'restore' | 'move';

const actions: Record<ItemAction, { icon: LucideIcon; words: string; variant: 'secondary' | 'danger' }> = {
  reveal: { icon: Eye, words: 'Reveal', variant: 'secondary' },
  restore: { icon: Undo2, words: 'Put on sale again', variant: 'secondary' },
  move: { icon: FolderInput, words: 'Move', variant: 'secondary' },
  void: { icon: Ban, words: 'Void', variant: 'danger' },
};

/** Returns the actions that the server allows for the item now. An item that was made for its buyer is not resold. */
function actionsOf({ state, wasRead, isSetAside }: InventoryItem, isFromStock: boolean): ItemAction[] {
  if (isSetAside || !isFromStock) return ['reveal'];
  const movable: ItemAction[] = wasRead ? [] : ['move'];
  if (state === 'available') return ['reveal', ...movable, 'void'];
  if (state === 'quarantined') return ['reveal', ...(wasRead ? [] : ['restore' as const]), ...movable, 'void'];
  return ['reveal', ...(state === 'voided' ? movable : [])];
}

interface StockItemRowProps {
  productId: string;
  isFromStock: boolean;
  item: InventoryItem;
  onChoose(action: ItemAction): void;
}

export function StockItemRow({ productId, isFromStock, item, onChoose }: StockItemRowProps) {
  const { masked, state, addedAt, deliveredAt, viewed, wasRead, wasReported, isSetAside, order, voidReason } = item;
  const undo = useAction({
    send: () =>
      call('POST /digital-products/:id/inventory/:itemId/undo-void', { params: { id: productId, itemId: item._id } }),
    successMessage: 'The item is back where it was',
    errorMessage: 'The voiding could not be undone',
  });
  const button = (words: string, icon: LucideIcon) => ({
    icon,
    size: 'sm' as const,
    className: 'min-h-11',
    'aria-label': `${words} ${masked}`,
    children: words,
  });
  return (
    <li className="grid gap-2 rounded-md border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <code className="min-w-0 flex-1 font-mono text-sm break-all">{masked}</code>
        <ItemStateBadge state={state} />
        {viewed ? (
          <Badge tone="info">Viewed</Badge>
        ) : (
          wasRead && !wasReported && <Badge tone="info">Read by staff</Badge>
        )}
        {isSetAside && <Badge tone="warning">Set aside</Badge>}
        {wasReported && <Badge tone="warning">Reported</Badge>}
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-[1_1_14rem] text-sm text-muted wrap-anywhere">
          Added <Moment at={addedAt} />
          {deliveredAt !== null && (
            <>
              , delivered <Moment at={deliveredAt} />
            </>
          )}
          {order !== null && (
            <Link
              to={`/admin/orders/${order}`}
              className="-my-3 block w-fit py-3 font-semibold text-accent-ink underline">
              Order #{orderNumber(order)}
            </Link>
          )}
          {voidReason !== null && <span className="block">{voidReason}</span>}
        </p>
        <div className="ml-auto flex flex-wrap justify-end gap-2">
          {state === 'voided' && !isSetAside && isFromStock && (
            <Button {...button('Undo void', Undo2)} variant="secondary" loading={undo.isBusy} onClick={undo.run} />
          )}
          {actionsOf(item, isFromStock).map((action) => {
            const { icon, words, variant } = actions[action];
            return <Button key={words} {...button(words, icon)} variant={variant} onClick={() => onChoose(action)} />;
          })}
        </div>
      </div>
      <FormProblem>{undo.problem}</FormProblem>
    </li>
  );
}

export interface ItemDialogProps {
  params: { id: string; itemId: string };
  masked: string | undefined;
  isOpen: boolean;
  onClose(): void;
}

export const VoidDialog = ({ params, masked, ...dialog }: ItemDialogProps) => (
  <ActionDialog
    {...dialog}
    title="Void this item?"
    about={params.itemId}
    action="Void item"
    send={(reason) => call('POST /digital-products/:id/inventory/:itemId/void', { params, body: { reason } })}
    successMessage="The item is voided"
    errorMessage="Failed to void the item">
    <p>
      <code className="font-mono break-all">{masked}</code> is taken off sale, which can be undone unless somebody has
      read it. The reason is kept with it; do not write the secret into it.
    </p>
  </ActionDialog>
);

export const RestoreDialog = ({ params, masked, ...dialog }: ItemDialogProps) => (
  <ActionDialog
    {...dialog}
    title="Put this item on sale again?"
    about={params.itemId}
    action="Put on sale"
    danger={false}
    send={(reason) => call('POST /digital-products/:id/inventory/:itemId/restore', { params, body: { reason } })}
    successMessage="The item is on sale again"
    errorMessage="Failed to put the item on sale again">
    <p>
      Nobody has read <code className="font-mono break-all">{masked}</code>, so another buyer can have it. That you put
      it on sale again, when and why goes on record.
    </p>
  </ActionDialog>
);

export const RevealItemDialog = ({ params, masked, ...dialog }: ItemDialogProps) => (
  <RevealDialog
    {...dialog}
    title="Reveal item"
    purpose="Reading an item"
    about={params.itemId}
    send={(body) => call('POST /digital-products/:id/inventory/:itemId/reveal', { params, body })}
    errorMessage="Failed to reveal the item"
    reasonHint="Stored as you write it. Do not include the secret.">
    <code className="font-mono break-all">{masked}</code>
  </RevealDialog>
);

export const ItemField = (area: ComponentProps<typeof TextArea>) => (
  <TextArea
    rows={3}
    maxLength={MAX_ITEM_LENGTH}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    // Safari on a phone zooms into a field with smaller letters.
    className="font-mono text-sm pointer-coarse:text-base"
    {...area}
  />
);

/** The field of an item that a person delivers instead of a faulty one; nothing is typed for any other delivery. */
export function useTypedReplacement(isTyped: boolean) {
  const { text, isMissing, check, clear, field } = useRequiredText('Please enter what is delivered');
  return {
    body: isTyped && { content: text },
    dialog: { isFilled: !isMissing, checkFields: () => !isTyped || check() },
    clear,
    field: isTyped && <ItemField {...field} label="What is delivered instead" />,
  };
}
