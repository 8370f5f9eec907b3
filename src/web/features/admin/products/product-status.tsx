import { useMutation, useMutationState } from '@tanstack/react-query';
import { CallError, messageOf } from '../../../lib/api-client.ts';
import { type ToastMessage, useToasts } from '../../../state/toasts.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { rememberFocus } from '../../../ui/focus.ts';
import { Form } from '../../../ui/form-page.tsx';
import { useReloadDashboard } from '../dashboard.ts';
import type { KindOfProduct } from './product-kinds.ts';
import type { AdminProduct } from './product-values.ts';

const RELOAD_AFTER_MS = 500;
const UNDO_MS = 10_000;

export interface StatusChange {
  product: Pick<AdminProduct, '_id' | 'name' | 'isActive' | 'deletedAt'>;
  /** Deleted products are inactive. */
  to: 'active' | 'inactive' | 'deleted';
  /** Brings the product back as it was before it was deleted. */
  undoDelete?: true;
}

const toasts: Record<StatusChange['to'], (name: string) => ToastMessage> = {
  active: (name) => ({ type: 'success', message: `"${name}" is now active and visible to customers!` }),
  inactive: (name) => ({ type: 'error', message: `"${name}" has been deactivated and hidden from store` }),
  deleted: (name) => ({ type: 'success', message: `"${name}" has been deleted` }),
};

/** Activates, deactivates and deletes products. The list shows the new status at once, and the old one on failure. */
export function useProductStatus<Product extends AdminProduct>(kind: KindOfProduct<Product>, loaded: Product[]) {
  const { show } = useToasts();
  const reload = useReloadDashboard();
  const mutationKey = ['product-status', kind.name];
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: async ({ product, to, undoDelete, restoreFocus }: StatusChange & { restoreFocus(): void }) => {
      const { _id: id, name } = product;
      const status = { isActive: to === 'active', ...(undoDelete && { undoDelete }) };
      await (to === 'deleted' ? kind.remove(id) : kind.update.send(status, id)).finally(restoreFocus);
      const undo = () => change({ product, to: product.isActive ? 'active' : 'inactive', undoDelete: true });
      show({
        ...(undoDelete ? { type: 'success', message: `"${name}" is back, with its unsold stock` } : toasts[to](name)),
        // There is nothing to undo for a product that was already deleted before.
        ...(to === 'deleted' &&
          product.deletedAt === null && { duration: UNDO_MS, action: { label: 'Undo', onPress: undo } }),
      });
      await new Promise((resolve) => setTimeout(resolve, RELOAD_AFTER_MS));
      await reload();
    },
    onError: (failure, { to }) => {
      if (failure instanceof CallError && failure.status === 429) return;
      const message = `Failed to ${to === 'deleted' ? 'delete product' : 'update product status'}`;
      show({ type: 'error', message: messageOf(failure, message) });
      // The answer may be lost of a change that was made.
      void reload();
    },
  });
  // Called before the list shows the change, which may remove the pressed button.
  const change = (wanted: StatusChange) => mutate({ ...wanted, restoreFocus: rememberFocus() });
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as StatusChange,
  });
  // A change is pending until the list has been read again.
  const products = loaded.map((product) => {
    const changed = pending.findLast((one) => one.product._id === product._id);
    // Missing means active.
    const isActive = changed ? changed.to === 'active' : product.isActive !== false;
    return { ...product, isActive, isPending: changed !== undefined };
  });
  const activeOf = (some: AdminProduct[]) => some.filter(({ isActive }) => isActive !== false).length;
  return {
    products,
    /** The number of products shown as active, less the number loaded as active. */
    gained: activeOf(products) - activeOf(loaded),
    change,
  };
}

interface DeleteProductDialogProps {
  note?: string;
  /** Undefined closes the dialog. */
  product: StatusChange['product'] | undefined;
  onDelete(change: StatusChange): void;
  onClose(): void;
}

export function DeleteProductDialog({ note, product, onDelete, onClose }: DeleteProductDialogProps) {
  function submit() {
    onClose();
    if (product) onDelete({ product, to: 'deleted' });
  }
  return (
    <Dialog isOpen={product !== undefined} onClose={onClose} title="Delete product">
      {product && (
        <Form action="Delete" danger isBusy={false} onSubmit={submit} onCancel={onClose}>
          <p className="wrap-anywhere">
            Are you sure you want to delete "{product.name}"? This will mark it as inactive.
          </p>
          {note && <p className="text-sm text-muted">{note}</p>}
        </Form>
      )}
    </Dialog>
  );
}
