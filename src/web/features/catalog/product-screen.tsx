import { useQuery } from '@tanstack/react-query';
import { PackageX } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/use-title.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { productQuery } from './catalog-queries.ts';
import { ProductDetails } from './product-details.tsx';

export function ProductScreen() {
  const { id = '' } = useParams();
  const { data: product, error, refetch } = useQuery(productQuery(id));
  useTitle(product?.name ?? 'Product');

  if (error) return <ProductMissing failure={error} onRetry={() => void refetch()} />;
  if (product === undefined) return <ProductLoading />;
  return <ProductDetails key={product._id} product={product} />;
}

function ProductLoading() {
  return (
    <div className="mx-auto grid max-w-page gap-10 px-4 pt-8 sm:px-6 md:grid-cols-2">
      <Skeleton className="aspect-4/3 rounded-xl" />
      <div className="grid content-start gap-4">
        <Skeleton className="h-5 w-32" />
        <Skeleton className="h-11 w-4/5" />
        <Skeleton className="h-8 w-28" />
        <Skeleton className="h-24 w-full" />
      </div>
    </div>
  );
}

function ProductMissing({ failure, onRetry }: { failure: Error; onRetry(): void }) {
  // An address that is not an id is as much a missing product as an id nobody has.
  const isMissing = failure instanceof CallError && (failure.status === 404 || failure.status === 400);
  const browse = (
    <Link to="/" className={buttonClass()}>
      Browse products
    </Link>
  );
  return (
    <EmptyState
      icon={PackageX}
      heading="h1"
      title={isMissing ? 'Product not found' : 'This product did not load'}
      action={isMissing ? browse : <Button onClick={onRetry}>Try again</Button>}
    >
      {isMissing ? 'It may have been sold out for good or taken off the shelf.' : messageOf(failure, '')}
    </EmptyState>
  );
}
