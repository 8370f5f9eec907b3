import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

interface DeleteProductDialogProps {
  /** None closes it. */
  product: { _id: string; name: string } | undefined;
  onDelete(id: string): void;
  onClose(): void;
  /** What else comes of it. */
  children?: ReactNode;
}

export function DeleteProductDialog({ product, onDelete, onClose, children }: DeleteProductDialogProps) {
  return (
    <Dialog isOpen={product !== undefined} onClose={onClose} title="Delete product">
      {product && (
        <>
          <p className="wrap-anywhere">
            Are you sure you want to delete "{product.name}"? This will mark it as inactive.
          </p>
          {children}
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
