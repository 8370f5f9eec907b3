import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { ShownProduct } from './use-status-changes.ts';

interface DeleteProductDialogProps {
  /** None closes it. */
  product: ShownProduct | undefined;
  onDelete(id: string): void;
  onClose(): void;
}

export function DeleteProductDialog({ product, onDelete, onClose }: DeleteProductDialogProps) {
  return (
    <Dialog isOpen={product !== undefined} onClose={onClose} title="Delete product">
      {product && (
        <>
          <p className="wrap-anywhere">
            Are you sure you want to delete "{product.name}"? This will mark it as inactive.
          </p>
          <p className="text-sm text-muted">
            Its unsold items are withdrawn for good. What was sold stays with its buyers.
          </p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button
              variant="danger"
              onClick={() => {
                onClose();
                onDelete(product._id);
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
