import { useMutation, useMutationState, useQuery } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import type { ProductKind } from '../../../../shared/catalog.ts';
import {
  type AdminDigitalProduct,
  type AdminPhysicalProduct,
  type CreateDigitalProduct,
  type CreatePhysicalProduct,
  createDigitalProductBody,
  createPhysicalProductBody,
  type UpdateDigitalProduct,
  type UpdatePhysicalProduct,
  updateDigitalProductBody,
  updatePhysicalProductBody,
} from '../../../../shared/products.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { type ToastMessage, useToasts } from '../../../state/toasts.tsx';
import { rememberFocus } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { ADMIN, useReloadDashboard } from '../dashboard.ts';
import { type AdminProduct, emptyValues, type ProductValues } from './product-values.ts';

export type TextField = 'name' | 'description' | 'category' | 'image' | 'price' | 'stock';

interface Saving<Product> {
  schema: z.ZodMiniType<object>;
  /** `body` is what `schema` returned. */
  send(body: object, id: string): Promise<{ data: Product }>;
  missing: Partial<Record<TextField, string>>;
  missingMessage?: string;
  /** Past participle for the success message, as in `"Mug" has been created`. */
  done: string;
}

/** The differences between the two kinds of products: calls, fields and words. */
export interface KindOfProduct<Product extends AdminProduct> {
  name: ProductKind;
  fields: readonly (keyof ProductValues)[];
  emptyValues: ProductValues;
  create: Saving<Product>;
  update: Saving<Product>;
  read(id: string): Promise<{ data: Product }>;
  remove(id: string): Promise<unknown>;
}

export const fillIn = 'Please fill in this field';
const physicalMissing = {
  name: 'Please enter a name',
  category: 'Please enter a category',
  image: 'Please give an image',
  price: 'Please enter a price',
  stock: 'Please enter how many there are',
};
const inputsOf = (...bodies: z.ZodMiniObject[]) =>
  (Object.keys(emptyValues) as (keyof ProductValues)[]).filter((name) => bodies.some(({ shape }) => name in shape));

const digital: KindOfProduct<AdminDigitalProduct> = {
  name: 'digital',
  fields: inputsOf(createDigitalProductBody, updateDigitalProductBody),
  emptyValues: { ...emptyValues, category: 'Game Keys', delivery: 'unique' },
  create: {
    schema: createDigitalProductBody,
    send: (body: CreateDigitalProduct) => call('POST /digital-products', { body }),
    missing: { name: fillIn, description: fillIn, price: fillIn, image: fillIn },
    missingMessage: 'Please fill in all required fields',
    done: 'created',
  },
  update: {
    schema: updateDigitalProductBody,
    send: (body: UpdateDigitalProduct, id) => call('PUT /digital-products/:id', { params: { id }, body }),
    missing: { name: fillIn, price: fillIn },
    missingMessage: 'Name and price are required',
    done: 'updated',
  },
  read: (id) => call('GET /admin/digital-products/:id', { params: { id } }),
  remove: (id) => call('DELETE /digital-products/:id', { params: { id } }),
};

const physical: KindOfProduct<AdminPhysicalProduct> = {
  name: 'physical',
  fields: inputsOf(createPhysicalProductBody, updatePhysicalProductBody),
  emptyValues,
  create: {
    schema: createPhysicalProductBody,
    send: (body: CreatePhysicalProduct) => call('POST /admin/products', { body }),
    missing: physicalMissing,
    done: 'added',
  },
  update: {
    schema: updatePhysicalProductBody,
    send: (body: UpdatePhysicalProduct, id) => call('PUT /admin/products/:id', { params: { id }, body }),
    missing: physicalMissing,
    done: 'updated',
  },
  read: (id) => call('GET /admin/products/:id', { params: { id } }),
  remove: (id) => call('DELETE /admin/products/:id', { params: { id } }),
};

export const productKinds = { digital, physical };

/** Reads the product to edit. It is not cached once its form has closed: an edit must start from the newest version. */
export function useProduct<Product extends AdminProduct>(kind: KindOfProduct<Product>, id: string) {
  return useQuery({
    queryKey: [ADMIN, 'product', kind.name, id],
    queryFn: async () => (await kind.read(id)).data,
    enabled: id !== '',
    gcTime: 0,
  });
}

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
