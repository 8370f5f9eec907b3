import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

interface DeleteDialogProps {
  /** None closes it. */
  product: PhysicalProduct | undefined;
  onDelete(product: PhysicalProduct): void;
  onClose(): void;
}

export function DeleteDialog({ product, onDelete, onClose }: DeleteDialogProps) {
  return (
    <Dialog isOpen={product !== undefined} onClose={onClose} title="Delete product">
      {product && (
        <>
          <p className="wrap-anywhere">
            Are you sure you want to delete "{product.name}"? This will mark it as inactive.
          </p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button
              variant="danger"
              onClick={() => {
                onClose();
                onDelete(product);
              }}
            >
              Delete
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
