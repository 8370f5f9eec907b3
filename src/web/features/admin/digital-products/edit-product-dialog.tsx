import { useState } from 'react';
import { type AdminDigitalProduct, updateDigitalProductBody } from '../../../../shared/admin-catalog.ts';
import { call } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ActionForm, UseNameAgain } from '../action-form.tsx';
import { useReloadDashboard } from '../admin-queries.ts';
import { DiscountFields, FlashSaleFields } from './offer-fields.tsx';
import { PricePreview } from './price-preview-box.tsx';
import { ProductFields } from './product-fields.tsx';
import { bodyOf, valuesOf } from './product-form.ts';
import { useLoadNewer } from './use-load-newer.ts';
import { useProductForm } from './use-product-form.ts';

interface EditProductDialogProps {
  /** None closes it. */
  product: AdminDigitalProduct | undefined;
  onClose(): void;
}

export function EditProductDialog({ product, onClose }: EditProductDialogProps) {
  return (
    <Dialog
      isOpen={product !== undefined}
      onClose={onClose}
      title="Edit Product"
      className="w-[min(42rem,calc(100vw-2rem))]! scroll-pt-12"
    >
      {product && <EditForm key={product._id} product={product} onClose={onClose} />}
    </Dialog>
  );
}

function EditForm({ product, onClose }: { product: AdminDigitalProduct; onClose(): void }) {
  const { show } = useToasts();
  const reload = useReloadDashboard();
  // What the inputs were filled from; a reload of the dashboard meanwhile changes nothing here.
  const [original, setOriginal] = useState(product);
  const { form, problem, forgetProblem, submit, insistOnName } = useProductForm({
    schema: updateDigitalProductBody,
    required: ['name', 'price'],
    whenMissing: 'Name and price are required',
    fallback: 'Failed to update product',
    defaultValues: valuesOf(original),
    toBody: (values) => ({ ...bodyOf(values, original), version: original.version }),
    async save(body) {
      const { data } = await call('PUT /digital-products/:id', { params: { id: original._id }, body });
      show({ type: 'success', message: `"${data.name}" has been updated` });
      onClose();
      void reload();
    },
  });
  const newer = useLoadNewer({ form, original, setOriginal, onLoaded: forgetProblem });
  return (
    <ActionForm
      action="Save Changes"
      isBusy={form.formState.isSubmitting}
      problem={newer.problem ?? problem?.message}
      remedy={
        <>
          {problem?.code === 'SAME_NAME' && <UseNameAgain onClick={insistOnName} />}
          {problem?.code === 'EDIT_CONFLICT' && (
            <Button
              variant="secondary"
              loading={newer.isLoading}
              onClick={newer.load}
              className="justify-self-start"
            >
              Load the newer version
            </Button>
          )}
          {newer.note && (
            <p role="status" className="rounded-md bg-info-soft px-4 py-3 text-info">
              {newer.note}
            </p>
          )}
        </>
      }
      onSubmit={submit}
      onCancel={onClose}
      isFilled={form.formState.isDirty}
    >
      <ProductFields form={form} />
      <DiscountFields form={form} />
      <FlashSaleFields form={form} />
      <PricePreview control={form.control} original={original} />
    </ActionForm>
  );
}
