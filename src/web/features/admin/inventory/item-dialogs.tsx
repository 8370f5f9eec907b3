import { useId, useState } from 'react';
import { plural } from '../../../../shared/format.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Skeleton } from '../../../ui/display.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Choice, SearchField } from '../../../ui/input.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import { useAdminList } from '../dashboard.ts';
import { RevealDialog } from '../fresh-code-form.tsx';

interface ItemDialogProps {
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

export function MoveDialog({ params, masked, onClose, ...dialog }: ItemDialogProps) {
  const [product, setProduct] = useState<string>();
  const [isChecked, setIsChecked] = useState(false);
  return (
    <ActionDialog
      {...dialog}
      title="Move this item?"
      about={params.itemId}
      action="Move item"
      danger={false}
      send={(reason) =>
        call('POST /digital-products/:id/inventory/:itemId/move', { params, body: { reason, product: product ?? '' } })
      }
      successMessage="The item is moved, and on sale there"
      errorMessage="Failed to move the item"
      isFilled={product !== undefined}
      checkFields={() => {
        setIsChecked(true);
        return product !== undefined;
      }}
      onClose={() => {
        setProduct(undefined);
        setIsChecked(false);
        onClose();
      }}>
      <p>
        <code className="font-mono break-all">{masked}</code> is put on sale as one of another product. That you moved
        it, when and why goes on record.
      </p>
      <ProductChoice
        except={params.id}
        chosen={product}
        onChoose={setProduct}
        error={isChecked && product === undefined ? 'Please choose a product' : undefined}
      />
    </ActionDialog>
  );
}

const PRODUCTS_SHOWN = 6;
// Products per request. Most of them may be products without items from stock.
const PRODUCTS_READ = 50;

interface ProductChoiceProps {
  /** The id of the product that is not offered. */
  except: string;
  chosen: string | undefined;
  onChoose(id: string | undefined): void;
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
      <SearchField
        label="Search products"
        maxLength={100}
        value={typed}
        onChange={(words) => {
          setTyped(words);
          // A product that the search no longer shows must not stay chosen.
          onChoose(undefined);
        }}
      />
      {isPending && <Skeleton className="h-24" />}
      {isError && <FormProblem>{messageOf(failure, 'The products did not load')}</FormProblem>}
      <p role="status" className={products.length === 0 ? 'text-sm text-muted empty:hidden' : 'sr-only'}>
        {data !== undefined &&
          (products.length === 0
            ? 'No products found'
            : `${products.length} ${plural(products.length, 'product')} shown`)}
      </p>
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
