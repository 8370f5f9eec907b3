import { useQuery } from '@tanstack/react-query';
import { Package } from 'lucide-react';
import { useNavigate, useParams } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AdminPage } from '../admin-page.tsx';
import { ADMIN, useReloadDashboard } from '../admin-queries.ts';
import { useListAddress } from '../dashboard-url.ts';
import { ProductForm } from './product-form.tsx';

/** /admin/products/new and /admin/products/:id. */
export function PhysicalProductScreen() {
  const { id } = useParams();
  const back = useListAddress('physical');
  return (
    <AdminPage title={id === undefined ? 'Add Product' : 'Edit Product'} back={back}>
      {id === undefined ? (
        <SavingForm product={null} back={back} />
      ) : (
        <Editing key={id} id={id} back={back} />
      )}
    </AdminPage>
  );
}

function Editing({ id, back }: { id: string; back: string }) {
  // Kept no longer than it is open: what is edited has to be the newest there is.
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [ADMIN, 'physical-product', id],
    queryFn: async () => (await call('GET /admin/products/:id', { params: { id } })).data,
    gcTime: 0,
  });
  if (data) return <SavingForm product={data} back={back} />;
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

function SavingForm({ product, back }: { product: PhysicalProduct | null; back: string }) {
  const { show } = useToasts();
  const navigate = useNavigate();
  const reload = useReloadDashboard();
  return (
    <ProductForm
      product={product}
      back={back}
      onSaved={({ name }) => {
        show({ type: 'success', message: `"${name}" has been ${product ? 'updated' : 'added'}` });
        void reload();
        void navigate(back);
      }}
    />
  );
}
