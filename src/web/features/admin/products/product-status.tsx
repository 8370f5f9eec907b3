import { useState } from 'react';
import { CallError, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useReloadDashboard } from '../admin-queries.ts';
import type { KindOfProduct } from './product-kinds.ts';
import type { AdminProduct } from './product-values.ts';

const RELOAD_AFTER_MS = 500;

/** A status that is shown before the server confirmed the change. */
interface Change {
  isActive: boolean;
  isPending: boolean;
}

/** A product as its list shows it. */
export type ShownProduct<Product extends AdminProduct> = Product & Partial<Change>;

interface ChangeCall {
  send(): Promise<unknown>;
  onDone(name: string): void;
  errorMessage: string;
}

/** Activates, deactivates and deletes: the list shows the new status at once, and the old one again when the call fails. */
export function useProductStatus<Product extends AdminProduct>(kind: KindOfProduct<Product>, loaded: Product[]) {
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map());
  const { show } = useToasts();
  const reload = useReloadDashboard();

  const put = (id: string, change: Change) => setChanges((before) => new Map(before).set(id, change));
  const drop = (id: string, change: Change) =>
    setChanges((before) => {
      if (before.get(id) !== change) return before;
      const after = new Map(before);
      after.delete(id);
      return after;
    });

  async function change(id: string, isActive: boolean, { send, onDone, errorMessage }: ChangeCall) {
    const product = loaded.find(({ _id }) => _id === id);
    if (!product) return show({ type: 'error', message: 'Product not found' });
    const shown = { isActive, isPending: true };
    put(id, shown);
    try {
      await send();
    } catch (failure) {
      drop(id, shown);
      const isSilent = failure instanceof CallError && failure.silent;
      if (!isSilent) show({ type: 'error', message: messageOf(failure, errorMessage) });
      return;
    }
    onDone(product.name);
    const settled = { isActive, isPending: false };
    put(id, settled);
    setTimeout(() => void reload().finally(() => drop(id, settled)), RELOAD_AFTER_MS);
  }

  const products = loaded.map(
    (product): ShownProduct<Product> => ({
      ...product,
      isActive: product.isActive !== false,
      ...changes.get(product._id),
    }),
  );
  const activeOf = (some: AdminProduct[]) => some.filter(({ isActive }) => isActive !== false).length;
  return {
    products,
    /** How many more of them are shown as active than were loaded as active. */
    gained: activeOf(products) - activeOf(loaded),
    setActive: (id: string, isActive: boolean) =>
      void change(id, isActive, {
        send: () => kind.update.send({ isActive }, id),
        errorMessage: 'Failed to update product status',
        onDone: (name) =>
          show(
            isActive
              ? { type: 'success', message: `"${name}" is now active and visible to customers!` }
              : { type: 'error', message: `"${name}" has been deactivated and hidden from store` },
          ),
      }),
    remove: (id: string) =>
      void change(id, false, {
        send: () => kind.remove(id),
        errorMessage: 'Failed to delete product',
        onDone: (name) => show({ type: 'success', message: `"${name}" has been deleted` }),
      }),
  };
}

interface DeleteProductDialogProps {
  kind: Pick<KindOfProduct<AdminProduct>, 'deleteNote'>;
  /** Undefined closes the dialog. */
  product: { _id: string; name: string } | undefined;
  onDelete(id: string): void;
  onClose(): void;
}

export function DeleteProductDialog({ kind, product, onDelete, onClose }: DeleteProductDialogProps) {
  return (
    <Dialog isOpen={product !== undefined} onClose={onClose} title="Delete product">
      {product && (
        <>
          <p className="wrap-anywhere">
            Are you sure you want to delete "{product.name}"? This will mark it as inactive.
          </p>
          {kind.deleteNote && <p className="text-sm text-muted">{kind.deleteNote}</p>}
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button
              variant="danger"
              onClick={() => {
                onClose();
                onDelete(product._id);
              }}>
              Delete
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
