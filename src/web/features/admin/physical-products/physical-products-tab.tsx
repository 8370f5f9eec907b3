import { Package, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { call } from '../../../lib/api-client.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { useSearch } from '../dashboard-url.ts';
import { DeleteProductDialog } from '../delete-product-dialog.tsx';
import { SearchedList, useSearchedList } from '../searched-list.tsx';
import { useStatusChanges } from '../use-status-changes.ts';
import { ProductCards, ProductTable } from './product-table.tsx';

const searched = ({ name, category }: PhysicalProduct) => [name, category];

export function PhysicalProductsTab() {
  const search = useSearch();
  const list = useSearchedList('GET /admin/products', {}, search, searched);
  const [asked, setAsked] = useState<PhysicalProduct>();
  const location = useLocation();
  const { products, remove } = useStatusChanges(list.entries);
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="grid gap-0.5">
          <h2 className="text-xl">Physical Products</h2>
          <p role="status" className="tabular text-muted">
            {list.isLoading ? 'Loading products' : `${list.total} products available`}
          </p>
        </div>
        <Link to="/admin/products/new" state={{ from: location.search }} className={buttonClass()}>
          <Plus aria-hidden className="size-5" />
          Add Product
        </Link>
      </div>
      <SearchedList
        search={search}
        list={list}
        of="products"
        placeholder="Name or category"
        icon={Package}
        whenEmpty="Add your first product to get started"
      >
        <div aria-busy={list.isRefreshing}>
          <div className="max-lg:hidden">
            <ProductTable products={products} onDelete={setAsked} />
          </div>
          <div className="lg:hidden">
            <ProductCards products={products} onDelete={setAsked} />
          </div>
        </div>
      </SearchedList>
      <DeleteProductDialog
        product={asked}
        onDelete={(id) => void remove(id, () => call('DELETE /admin/products/:id', { params: { id } }))}
        onClose={() => setAsked(undefined)}
      />
    </div>
  );
}
