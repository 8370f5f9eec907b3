import { useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import { createDigitalProductBody } from '../../../../shared/admin-catalog.ts';
import { call } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog, useLeaveDialog } from '../../../ui/dialog.tsx';
import { ActionForm, UseNameAgain } from '../action-form.tsx';
import { useReloadDashboard } from '../admin-queries.ts';
import { InventoryUpload } from '../inventory/inventory-upload.tsx';
import { ProductFields } from './product-fields.tsx';
import { bodyOf, emptyProduct } from './product-form.ts';
import { useProductForm } from './use-product-form.ts';

interface Created {
  id: string;
  name: string;
}

export function AddProductDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Add Digital Product"
      className="w-[min(42rem,calc(100vw-2rem))]! scroll-pt-12"
    >
      {isOpen && <Steps onClose={onClose} />}
    </Dialog>
  );
}

function Steps({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<Created>();
  return (
    <>
      <p className="text-sm text-muted">
        {created ? 'Step 2 of 2: add inventory' : 'Step 1 of 2: product details'}
      </p>
      {created ? (
        <InventoryStep product={created} onDone={onClose} />
      ) : (
        <DetailsStep onCreated={setCreated} onCancel={onClose} />
      )}
    </>
  );
}

interface DetailsStepProps {
  onCreated(product: Created): void;
  onCancel(): void;
}

function DetailsStep({ onCreated, onCancel }: DetailsStepProps) {
  const { show } = useToasts();
  const reload = useReloadDashboard();
  // Chosen once: should an answer get lost, pressing again makes no second product.
  const [draft] = useState(() => uuidv7());
  const { form, problem, submit, insistOnName } = useProductForm({
    schema: createDigitalProductBody,
    required: ['name', 'description', 'price', 'image'],
    whenMissing: 'Please fill in all required fields',
    fallback: 'Failed to create product',
    defaultValues: emptyProduct,
    toBody: (values) => ({ ...bodyOf(values), draft }),
    async save(body) {
      const { data } = await call('POST /digital-products', { body });
      show({ type: 'success', message: `"${data.name}" has been created` });
      void reload();
      onCreated({ id: data._id, name: data.name });
    },
  });
  return (
    <ActionForm
      action="Create Product"
      isBusy={form.formState.isSubmitting}
      problem={problem?.message}
      remedy={problem?.code === 'SAME_NAME' && <UseNameAgain onClick={insistOnName} />}
      onSubmit={submit}
      onCancel={onCancel}
      isFilled={form.formState.isDirty}
    >
      <ProductFields form={form} />
    </ActionForm>
  );
}

function InventoryStep({ product, onDone }: { product: Created; onDone(): void }) {
  const leave = useLeaveDialog();
  return (
    <>
      <h3 className="text-lg wrap-anywhere">{product.name}</h3>
      <InventoryUpload productId={product.id} onDone={onDone} />
      <Button variant="quiet" onClick={() => leave(onDone)} className="justify-self-end">
        Skip for now
      </Button>
    </>
  );
}
