import { Package, Pencil, Plus, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { formatDollars } from '../../../../shared/currency.ts';
import { formatCount, plural } from '../../../../shared/format.ts';
import type { AdminPhysicalProduct } from '../../../../shared/products.ts';
import { ButtonLink, IconButton, IconLink } from '../../../ui/button.tsx';
import { Badge, Card, classNames, Picture, StatusBadge } from '../../../ui/display.tsx';
import { Table } from '../../../ui/table.tsx';
import { ListHeading, SearchedList, useSearchedList } from '../admin-list.tsx';
import { AdminPage, EntryPage } from '../admin-page.tsx';
import { useListPath } from '../dashboard.ts';
import { ProductForm } from './product-form.tsx';
import { DeleteProductDialog, productKinds, useProduct, useProductStatus } from './product-kinds.tsx';

const searchedTexts = ({ name, category }: AdminPhysicalProduct) => [name, category];

export function PhysicalProductsTab() {
  const list = useSearchedList('GET /admin/products', {}, searchedTexts);
  const [toDelete, setToDelete] = useState<AdminPhysicalProduct>();
  const location = useLocation();
  const { products, change } = useProductStatus(productKinds.physical, list.entries);
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading
        title="Physical Products"
        list={list}
        of="products"
        count={`${list.total} ${plural(list.lastPage?.total ?? 0, 'product')} available`}>
        <ButtonLink icon={Plus} to="/admin/products/new" state={{ from: location.search }}>
          Add Product
        </ButtonLink>
      </ListHeading>
      <SearchedList
        list={list}
        of="products"
        placeholder="Name or category"
        icon={Package}
        whenEmpty="Add your first product to get started">
        <div aria-busy={list.isRefreshing}>
          <div className="max-lg:hidden">
            <ProductTable products={products} onDelete={setToDelete} />
          </div>
          <div className="lg:hidden">
            <ProductCards products={products} onDelete={setToDelete} />
          </div>
        </div>
      </SearchedList>
      <DeleteProductDialog product={toDelete} onDelete={change} onClose={() => setToDelete(undefined)} />
    </div>
  );
}

interface ProductsProps {
  products: AdminPhysicalProduct[];
  onDelete(product: AdminPhysicalProduct): void;
}

const columns = ['Product', 'Category', 'Price', 'Stock', 'Rating', 'Status', 'Actions'];

function ProductTable({ products, onDelete }: ProductsProps) {
  const rows = products.map((product) => ({
    key: product._id,
    cells: [
      <div key="product" className="flex min-w-52 items-center gap-3">
        <ProductPicture product={product} className="size-12" />
        <div>
          <p dir="auto" className="line-clamp-4 text-left font-semibold wrap-anywhere">
            {product.name}
          </p>
          <p className="text-muted">{product.brand}</p>
        </div>
      </div>,
      product.category,
      <Price key="price" {...product} />,
      <Stock key="stock" {...product} />,
      <Rating key="rating" {...product} />,
      <Status key="status" {...product} />,
      <RowActions key="actions" product={product} onDelete={onDelete} />,
    ],
  }));
  return <Table caption="Physical products" columns={columns} numeric={['Price', 'Stock', 'Actions']} rows={rows} />;
}

function ProductCards({ products, onDelete }: ProductsProps) {
  return (
    <ul aria-label="Physical products" className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      {products.map((product) => (
        <li key={product._id} className="grid grid-cols-1">
          <Card className="grid grid-cols-1 content-between gap-3 p-4">
            <div className="flex flex-wrap gap-x-3 gap-y-1">
              <ProductPicture product={product} className="size-18" />
              <div className="grid min-w-0 flex-1 basis-[7rem] content-start justify-items-start gap-0.5">
                <h3 dir="auto" className="line-clamp-4 text-left text-base leading-snug wrap-anywhere">
                  {product.name}
                </h3>
                <p className="text-sm text-muted wrap-anywhere">{product.brand}</p>
                <p className="text-sm text-muted wrap-anywhere">{product.category}</p>
                <Status {...product} />
              </div>
              <div className="tabular shrink-0 text-right">
                <Price {...product} />
              </div>
            </div>
            <div className="flex flex-wrap items-center justify-between gap-x-3 border-t border-line pt-2 text-sm">
              <p>
                Stock <Stock {...product} />
              </p>
              <Rating {...product} />
              <RowActions product={product} onDelete={onDelete} />
            </div>
          </Card>
        </li>
      ))}
    </ul>
  );
}

function ProductPicture({ product, className }: { product: AdminPhysicalProduct; className: string }) {
  const { image, category } = product;
  return <Picture src={image} category={category} className={classNames('shrink-0 rounded-md', className)} />;
}

const Status = ({ isActive, isDraft }: AdminPhysicalProduct) =>
  isActive || !isDraft ? <StatusBadge status={isActive ? 'Active' : 'Inactive'} /> : <Badge>Draft</Badge>;

function Price({ price }: AdminPhysicalProduct) {
  return (
    <>
      <span className="font-semibold">{formatDollars(price)}</span>
      <span className="block text-xs text-muted">{formatDollars(price, 'MYR')}</span>
    </>
  );
}

/** Shows the stock: red at 0, orange up to the product's threshold `lowStock`, green above (docs/conformance.md). */
function Stock({ stock, lowStock }: AdminPhysicalProduct) {
  const colour = stock === 0 ? 'text-danger' : stock <= lowStock ? 'text-warning' : 'text-success';
  return <span className={classNames('font-semibold', colour)}>{formatCount(stock)}</span>;
}

function Rating({ rating, numReviews }: AdminPhysicalProduct) {
  return (
    <span className="inline-flex items-center gap-1 align-middle whitespace-nowrap">
      <Star aria-hidden className={classNames('size-4', numReviews > 0 ? 'fill-warning text-warning' : 'text-muted')} />
      {rating.toFixed(1)}
      <span className="text-muted">
        ({numReviews}
        <span className="sr-only"> {plural(numReviews, 'review')}</span>)
      </span>
    </span>
  );
}

function RowActions({ product, onDelete }: Pick<ProductsProps, 'onDelete'> & { product: AdminPhysicalProduct }) {
  const { _id, name, isActive } = product;
  const { search } = useLocation();
  return (
    <div className="flex justify-end">
      <IconLink
        icon={Pencil}
        iconClass="size-4.5"
        label={`Edit ${name}`}
        to={`/admin/products/${_id}`}
        state={{ from: search }}
      />
      <IconButton
        icon={Trash2}
        iconClass="size-4.5"
        label={`Delete ${name}`}
        disabled={!isActive}
        onClick={() => onDelete(product)}
        className="hover:bg-danger-soft hover:text-danger"
      />
    </div>
  );
}

const usePhysicalProduct = (id: string) => useProduct(productKinds.physical, id);

export const EditProductScreen = () => (
  <EntryPage
    what="product"
    icon={Package}
    heading={() => 'Edit Product'}
    useEntry={usePhysicalProduct}
    titleOf={({ name }) => `Edit ${name}`}>
    {(product) => <Edit product={product} />}
  </EntryPage>
);

export const AddProductScreen = () => (
  <AdminPage title="Add Product" tab="physical">
    <Edit />
  </AdminPage>
);

function Edit({ product }: { product?: AdminPhysicalProduct }) {
  const list = useListPath('physical');
  const navigate = useNavigate();
  return (
    <Card className="w-full max-w-reading p-5 sm:p-8">
      <ProductForm
        kind={productKinds.physical}
        product={product}
        action={product ? 'Save Changes' : 'Add Product'}
        onSaved={() => void navigate(list)}
        onCancel={list}
        layout="card"
      />
    </Card>
  );
}
