import { useCallback, useEffect, useState } from 'react';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog, useDialog } from '../../../ui/dialog.tsx';
import { useDashboardUrl } from '../dashboard-url.ts';
import { InventoryUpload } from '../inventory/inventory-upload.tsx';
import { ProductFiles } from '../inventory/product-files.tsx';
import { Stock } from '../inventory/stock.tsx';
import { ProductForm } from './product-form.tsx';
import { productKinds, useProduct } from './product-kinds.ts';

const formProps = { kind: productKinds.digital, focused: true };
const formClass = 'w-[min(42rem,calc(100vw-2rem))]! scroll-pt-12';

/** The dialog that the URL names: of a new product, or of one to edit or to stock. */
export function DigitalProductDialogs() {
  const { get, set } = useDashboardUrl();
  const { show } = useToasts();
  const dialog = get('dialog');
  const id = dialog === 'edit' || dialog === 'stock' ? get('product') : '';
  const { data: product, error, isLoadingError } = useProduct(productKinds.digital, id);
  const close = useCallback(() => set({ dialog: '', product: '' }), [set]);
  // The list shows drafts only with all the other hidden ones.
  const showAll = () => set({ show: 'all' });
  useEffect(() => {
    if (!isLoadingError) return;
    show({ type: 'error', message: messageOf(error, 'Product not found') });
    close();
  }, [isLoadingError, error, show, close]);
  const edited = dialog === 'edit' ? product : undefined;
  const stocked = dialog === 'stock' ? product : undefined;
  return (
    <>
      <Dialog isOpen={dialog === 'add'} onClose={close} title="Add Digital Product" className={formClass}>
        {dialog === 'add' && <Steps onDrafted={showAll} onClose={close} />}
      </Dialog>
      <Dialog isOpen={edited !== undefined} onClose={close} title="Edit Product" className={formClass}>
        {edited && (
          <ProductForm
            {...formProps}
            key={edited._id}
            action="Save Changes"
            product={edited}
            onSaved={close}
            onCancel={close}
          />
        )}
      </Dialog>
      <Dialog
        isOpen={stocked !== undefined}
        onClose={close}
        title="Manage Inventory"
        className="min-w-[min(42rem,calc(100vw-2rem))]">
        {stocked && (stocked.delivery === 'file' ? <ProductFiles product={stocked} /> : <Stock product={stocked} />)}
      </Dialog>
    </>
  );
}

function Steps({ onDrafted, onClose }: { onDrafted(): void; onClose(): void }) {
  const [created, setCreated] = useState<AdminDigitalProduct>();
  const dialog = useDialog();
  function proceed(product: AdminDigitalProduct) {
    setCreated(product);
    if (product.isDraft) onDrafted();
  }
  return (
    <>
      <p className="text-sm text-muted">{created ? 'Step 2 of 2: add inventory' : 'Step 1 of 2: product details'}</p>
      {created ? (
        <>
          {created.delivery !== 'file' && <h3 className="text-lg wrap-anywhere">{created.name}</h3>}
          {created.delivery === 'file' ? (
            <ProductFiles product={created} onDone={onClose} />
          ) : (
            <InventoryUpload
              productId={created._id}
              emptyMessage="Please add at least one inventory item"
              onDone={onClose}
            />
          )}
          <Button variant="quiet" onClick={() => dialog?.leave(onClose)} className="justify-self-end">
            Skip for now
          </Button>
        </>
      ) : (
        <ProductForm<AdminDigitalProduct> {...formProps} action="Create Product" onSaved={proceed} onCancel={onClose} />
      )}
    </>
  );
}
