import { Package } from 'lucide-react';
import { Link, useNavigate, useParams } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/products.ts';
import { CallError, messageOf } from '../../../lib/api-client.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card, EmptyState, Skeleton } from '../../../ui/card.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useListPath } from '../dashboard-url.ts';
import { ProductFields } from './product-fields.tsx';
import { productKinds, useProduct } from './product-kinds.ts';
import { ProductRemedy, useProductForm } from './use-product-form.tsx';

const kind = productKinds.physical;

/** /admin/products/new and /admin/products/:id. */
export function PhysicalProductScreen() {
  const { id } = useParams();
  const back = useListPath('physical');
  return (
    <AdminPage title={id === undefined ? 'Add Product' : 'Edit Product'} back={back}>
      {id === undefined ? <ProductForm back={back} /> : <EditForm key={id} id={id} back={back} />}
    </AdminPage>
  );
}

function EditForm({ id, back }: { id: string; back: string }) {
  const { data, error, refetch, isFetching } = useProduct(kind, id);
  if (data) return <ProductForm product={data} back={back} />;
  if (!error) return <Skeleton className="h-128" />;
  const isMissing = error instanceof CallError && (error.status === 404 || error.status === 400);
  return (
    <EmptyState
      icon={Package}
      title={isMissing ? 'Product not found' : messageOf(error, 'Failed to load product')}
      action={
        !isMissing && (
          <Button loading={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        )
      }
    />
  );
}

interface ProductFormProps {
  product?: PhysicalProduct;
  /** The path of the list, for Cancel and after saving. */
  back: string;
}

function ProductForm({ product, back }: ProductFormProps) {
  const navigate = useNavigate();
  const state = useProductForm({ kind, product, onSaved: () => void navigate(back) });
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
        <FormProblem>{state.problem?.message}</FormProblem>
        <ProductRemedy product={state} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" loading={state.isSubmitting}>
            {product ? 'Save Changes' : 'Add Product'}
          </Button>
          <Link to={back} className={buttonClass('quiet')}>
            Cancel
          </Link>
        </div>
      </form>
    </Card>
  );
}
