import { Package } from 'lucide-react';
import { useNavigate, useParams } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/products.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { useListPath } from '../dashboard-url.ts';
import { ProductFields } from './product-fields.tsx';
import { productKinds, useProduct } from './product-kinds.ts';
import { useProductForm } from './use-product-form.tsx';

/** /admin/products/new and /admin/products/:id. */
export function PhysicalProductScreen() {
  const { id } = useParams();
  const list = useListPath('physical');
  return (
    <AdminPage title={id === undefined ? 'Add Product' : 'Edit Product'} back={list}>
      {id === undefined ? <ProductForm list={list} /> : <EditForm key={id} id={id} list={list} />}
    </AdminPage>
  );
}

function EditForm({ id, list }: { id: string; list: string }) {
  return (
    <QueryState what="product" icon={Package} query={useProduct(productKinds.physical, id)} list={list}>
      {(product) => <ProductForm product={product} list={list} />}
    </QueryState>
  );
}

interface ProductFormProps {
  product?: PhysicalProduct;
  /** Path of the list, for Cancel and after saving. */
  list: string;
}

function ProductForm({ product, list }: ProductFormProps) {
  const navigate = useNavigate();
  const state = useProductForm({ kind: productKinds.physical, product, onSaved: () => void navigate(list) });
  return (
    <Card className="w-full max-w-reading p-5 sm:p-8">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          state.submit();
        }}
        className="grid gap-5">
        <ProductFields product={state} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" loading={state.isSubmitting}>
            {product ? 'Save Changes' : 'Add Product'}
          </Button>
          <ButtonLink to={list} variant="quiet">
            Cancel
          </ButtonLink>
        </div>
      </form>
    </Card>
  );
}
