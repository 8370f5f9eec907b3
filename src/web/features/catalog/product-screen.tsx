import { type InfiniteData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { PackageX } from 'lucide-react';
import { useLocation, useParams } from 'react-router';
import type { Product } from '../../../shared/catalog.ts';
import { messageOf } from '../../lib/api-client.ts';
import { isNotFound } from '../../lib/failures.ts';
import { useTitle } from '../../lib/page.ts';
import { productQuery } from '../../lib/product-queries.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/display.tsx';
import { LoadFailure } from '../../ui/loading.tsx';
import { ProductDetails } from './product-details.tsx';

const MISSING = 'Product not found';

export function ProductScreen() {
  const { id = '' } = useParams();
  const queries = useQueryClient();
  const kind = useLocation().pathname.startsWith('/product/') ? 'physical' : 'digital';
  const query = useQuery({ ...productQuery(kind, id), placeholderData: () => findListed(queries, id) });
  const { data: product, error } = query;
  const isMissing = isNotFound(error);
  useTitle(isMissing ? MISSING : (product?.name ?? 'Product'));

  if (isMissing) {
    const browse = <ButtonLink to="/">Browse products</ButtonLink>;
    return (
      <EmptyState icon={PackageX} heading="h1" title={MISSING} action={browse}>
        It may no longer be sold.
      </EmptyState>
    );
  }
  if (error && product === undefined) {
    return (
      <LoadFailure icon={PackageX} heading="h1" title="This product did not load" query={query}>
        {messageOf(error, '')}
      </LoadFailure>
    );
  }
  if (product === undefined) return <ProductLoading />;
  return <ProductDetails key={product._id} product={product} />;
}

/** Returns the product from a cached list; the page shows it until the product itself is loaded. */
function findListed(queries: QueryClient, id: string): Product | undefined {
  const lists = queries.getQueriesData<InfiniteData<{ data: Product[] }>>({ queryKey: ['products'] });
  return lists
    .flatMap(([, list]) => list?.pages.flatMap((page) => page.data) ?? [])
    .find((product) => product._id === id);
}

function ProductLoading() {
  return (
    <div role="status" className="mx-auto grid max-w-page gap-10 px-4 pt-8 sm:px-6 md:grid-cols-2">
      <span className="sr-only">Loading the product</span>
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
