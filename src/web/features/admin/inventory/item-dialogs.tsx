import { useId, useState } from 'react';
import type { InventoryItem } from '../../../../shared/inventory.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Skeleton } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { Choice, Field } from '../../../ui/input.tsx';
import { ActionDialog, useAction, useKeepAs, useReason } from '../action-dialog.tsx';
import { useAdminList } from '../admin-queries.ts';
import { RevealDialog } from '../fresh-code-form.tsx';

interface ItemDialogProps {
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
      about={item?._id}
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
      about={item?._id}
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
    about={item?._id}
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

/** Moves an item that nobody has read to another product. */
export function MoveDialog(props: ItemDialogProps) {
  return (
    <Dialog isOpen={props.item !== undefined} onClose={props.onClose} title="Move this item?">
      {props.item && <MoveForm {...props} item={props.item} />}
    </Dialog>
  );
}

function MoveForm({ productId, item, onClose }: ItemDialogProps & { item: InventoryItem }) {
  const [product, setProduct] = useState<string>();
  const [isChecked, setIsChecked] = useState(false);
  const { reason, isMissing, check, field } = useReason(undefined, useKeepAs('move reason', item._id));
  const { run, ...form } = useAction({
    send: () =>
      call('POST /digital-products/:id/inventory/:itemId/move', {
        params: { id: productId, itemId: item._id },
        body: { reason, product: product ?? '' },
      }),
    successMessage: 'The item is moved, and on sale there',
    errorMessage: 'Failed to move the item',
    onDone: onClose,
  });
  function submit() {
    setIsChecked(true);
    if (check() && product !== undefined) run();
  }
  return (
    <Form
      {...form}
      action="Move item"
      onSubmit={submit}
      onCancel={onClose}
      focused
      isFilled={!isMissing || product !== undefined}>
      <p>
        <code className="font-mono break-all">{item.masked}</code> is put on sale as one of another product. That you
        moved it, when and why goes on record.
      </p>
      <ProductChoice
        except={productId}
        chosen={product}
        onChoose={setProduct}
        error={isChecked && product === undefined ? 'Please choose a product' : undefined}
      />
      {field}
    </Form>
  );
}

const PRODUCTS_SHOWN = 6;
// Products per request. Most of them may be products without items from stock.
const PRODUCTS_READ = 50;

interface ProductChoiceProps {
  /** The id of the product that is not offered. */
  except: string;
  chosen: string | undefined;
  onChoose(id: string): void;
  error: string | undefined;
}

/** Offers the newest products with items from stock, or those whose names contain the typed text. */
function ProductChoice({ except, chosen, onChoose, error }: ProductChoiceProps) {
  const name = useId();
  const [typed, setTyped] = useState('');
  const q = typed.trim();
  const {
    data,
    isPending,
    isError,
    error: failure,
  } = useAdminList('GET /admin/digital-products', { limit: PRODUCTS_READ, ...(q && { q }) });
  const products = (data?.pages[0]?.data ?? [])
    .filter(({ _id, delivery }) => _id !== except && delivery === 'unique')
    .slice(0, PRODUCTS_SHOWN);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-semibold">To which product</legend>
      <Field
        label="Search products"
        type="search"
        maxLength={100}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {isPending && <Skeleton className="h-24" />}
      {isError && <FormProblem>{messageOf(failure, 'The products did not load')}</FormProblem>}
      {data !== undefined && products.length === 0 && <p className="text-sm text-muted">No products found</p>}
      {products.map(({ _id, name: words, isActive }) => (
        <Choice key={_id} name={name} checked={chosen === _id} onChoose={() => onChoose(_id)}>
          {words}
          {!isActive && ' (inactive)'}
        </Choice>
      ))}
      <FormProblem>{error}</FormProblem>
    </fieldset>
  );
}
