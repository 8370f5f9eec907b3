import { useEffect, useState } from 'react';
import { formatCount } from '../../../../shared/format.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { InventoryUpload } from './inventory-upload.tsx';
import { ItemList, useInventory } from './item-list.tsx';

interface StockDialogProps {
  product: Pick<AdminDigitalProduct, '_id' | 'name' | 'inventoryStats'>;
  onClose(): void;
}

type View = 'add' | 'items';

/** The stock of a digital product: its counts, a form to add items, and the list of items. Open while it is mounted. */
export function StockDialog({ product, onClose }: StockDialogProps) {
  const [isOpen, setIsOpen] = useState(true);
  const [view, setView] = useState<View>('add');
  const productId = product._id;
  const [newest] = useInventory(productId, undefined).data?.pages ?? [];

  // Unmounted only after the platform closed the dialog, which gives the focus back.
  useEffect(() => {
    if (!isOpen) onClose();
  }, [isOpen, onClose]);

  return (
    <Dialog
      isOpen={isOpen}
      onClose={() => setIsOpen(false)}
      title="Manage Inventory"
      className="min-w-[min(42rem,calc(100vw-2rem))]">
      <p className="-mt-3 font-semibold wrap-anywhere text-muted">{product.name}</p>
      <StockCounts stats={newest?.data.stats ?? product.inventoryStats} />
      <Tabs<View>
        label="Inventory"
        value={view}
        onChange={setView}
        tabs={[
          {
            value: 'add',
            label: 'Add',
            keepMounted: true,
            content: (
              <InventoryUpload
                productId={productId}
                emptyMessage="Please add at least one item"
                onDone={() => setView('items')}
              />
            ),
          },
          { value: 'items', label: 'Items', content: <ItemList productId={productId} /> },
        ]}
      />
    </Dialog>
  );
}

function StockCounts({ stats }: { stats: StockDialogProps['product']['inventoryStats'] }) {
  const counts = { Total: stats.total, Available: stats.available, Sold: stats.sold };
  return (
    <dl className="grid grid-cols-3 gap-3 text-center">
      {Object.entries(counts).map(([name, n]) => (
        <div key={name} className="flex flex-col-reverse rounded-md bg-sunken px-2 py-2.5">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="tabular text-xl font-semibold">{formatCount(n)}</dd>
        </div>
      ))}
    </dl>
  );
}
