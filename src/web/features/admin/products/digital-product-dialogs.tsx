import { useState } from 'react';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, useLeaveDialog } from '../../../ui/dialog.tsx';
import { ActionForm } from '../action-form.tsx';
import { InventoryUpload } from '../inventory/inventory-upload.tsx';
import { OfferFields, PricePreview } from './offer-fields.tsx';
import { ProductFields } from './product-fields.tsx';
import { productKinds } from './product-kinds.ts';
import { ProductRemedy, useProductForm } from './use-product-form.tsx';

const dialogClass = 'w-[min(42rem,calc(100vw-2rem))]! scroll-pt-12';

export function AddProductDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Add Digital Product" className={dialogClass}>
      {isOpen && <Steps onClose={onClose} />}
    </Dialog>
  );
}

function Steps({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<AdminDigitalProduct>();
  return (
    <>
      <p className="text-sm text-muted">{created ? 'Step 2 of 2: add inventory' : 'Step 1 of 2: product details'}</p>
      {created ? (
        <InventoryStep product={created} onDone={onClose} />
      ) : (
        <ProductForm action="Create Product" onSaved={setCreated} onCancel={onClose} />
      )}
    </>
  );
}

function InventoryStep({ product, onDone }: { product: AdminDigitalProduct; onDone(): void }) {
  const leave = useLeaveDialog();
  return (
    <>
      <h3 className="text-lg wrap-anywhere">{product.name}</h3>
      <InventoryUpload productId={product._id} onDone={onDone} />
      <Button variant="quiet" onClick={() => leave(onDone)} className="justify-self-end">
        Skip for now
      </Button>
    </>
  );
}

interface EditProductDialogProps {
  /** Undefined closes the dialog. */
  product: AdminDigitalProduct | undefined;
  onClose(): void;
}

export function EditProductDialog({ product, onClose }: EditProductDialogProps) {
  return (
    <Dialog isOpen={product !== undefined} onClose={onClose} title="Edit Product" className={dialogClass}>
      {product && (
        <ProductForm key={product._id} action="Save Changes" product={product} onSaved={onClose} onCancel={onClose} />
      )}
    </Dialog>
  );
}

interface ProductFormProps {
  action: string;
  product?: AdminDigitalProduct;
  onSaved(saved: AdminDigitalProduct): void;
  onCancel(): void;
}

function ProductForm({ action, product, onSaved, onCancel }: ProductFormProps) {
  const state = useProductForm({ kind: productKinds.digital, product, onSaved });
  const { form, original, problem, isSubmitting, submit } = state;
  return (
    <ActionForm
      action={action}
      isBusy={isSubmitting}
      problem={problem?.message}
      remedy={<ProductRemedy product={state} />}
      onSubmit={submit}
      onCancel={onCancel}
      isFilled={form.formState.isDirty}>
      <ProductFields product={state} />
      {original && (
        <>
          <OfferFields product={state} />
          <PricePreview control={form.control} original={original} />
        </>
      )}
    </ActionForm>
  );
}
