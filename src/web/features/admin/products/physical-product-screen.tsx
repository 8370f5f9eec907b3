import { Package } from 'lucide-react';
import { useNavigate, useParams } from 'react-router';
import type { AdminPhysicalProduct } from '../../../../shared/products.ts';
import { Card } from '../../../ui/card.tsx';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { useListPath } from '../dashboard-url.ts';
import { ProductForm } from './product-form.tsx';
import { productKinds, useProduct } from './product-kinds.ts';

/** The screen at /admin/products/new and /admin/products/:id. */
export function PhysicalProductScreen() {
  const { id } = useParams();
  return (
    <AdminPage title={id === undefined ? 'Add Product' : 'Edit Product'} tab="physical">
      {id === undefined ? <Edit /> : <ReadProduct key={id} id={id} />}
    </AdminPage>
  );
}

const ReadProduct = ({ id }: { id: string }) => (
  <QueryState what="product" icon={Package} query={useProduct(productKinds.physical, id)}>
    {(product) => <Edit product={product} />}
  </QueryState>
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
        className="gap-5"
      />
    </Card>
  );
}
