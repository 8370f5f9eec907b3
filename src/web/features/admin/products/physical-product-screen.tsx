import { Package } from 'lucide-react';
import { useNavigate, useParams } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/products.ts';
import { Card } from '../../../ui/card.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { useListPath } from '../dashboard-url.ts';
import { ProductFields } from './product-fields.tsx';
import { productKinds, useProduct } from './product-kinds.ts';
import { useProductForm } from './use-product-form.tsx';

/** /admin/products/new and /admin/products/:id. */
export function PhysicalProductScreen() {
  const { id } = useParams();
  return (
    <AdminPage title={id === undefined ? 'Add Product' : 'Edit Product'} tab="physical">
      {id === undefined ? <ProductForm /> : <EditForm key={id} id={id} />}
    </AdminPage>
  );
}

const EditForm = ({ id }: { id: string }) => (
  <QueryState what="product" icon={Package} query={useProduct(productKinds.physical, id)}>
    {(product) => <ProductForm product={product} />}
  </QueryState>
);

function ProductForm({ product }: { product?: PhysicalProduct }) {
  const list = useListPath('physical');
  const navigate = useNavigate();
  const openList = () => void navigate(list);
  const state = useProductForm({ kind: productKinds.physical, product, onSaved: openList });
  return (
    <Card className="w-full max-w-reading p-5 sm:p-8">
      <Form
        layout="card"
        action={product ? 'Save Changes' : 'Add Product'}
        isBusy={state.isSubmitting}
        onSubmit={state.submit}
        onCancel={openList}
        className="gap-5">
        <ProductFields product={state} />
      </Form>
    </Card>
  );
}
