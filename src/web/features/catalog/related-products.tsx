import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { call } from '../../lib/api-client.ts';
import { ProductCard } from './product-card.tsx';

const SHOWN = 4;

/** The most popular others of a category. A failure stays silent, as with the list itself (docs/conformance.md). */
function useRelated({ _id, category }: DigitalProduct): DigitalProduct[] {
  const { data = [] } = useQuery({
    queryKey: ['related', category],
    queryFn: async () => {
      // One more than is shown, as the product itself may be among them.
      const query = { category, sort: 'popular' as const, limit: SHOWN + 1 };
      return (await call('GET /digital-products', { query })).data;
    },
  });
  return data.filter((other) => other._id !== _id).slice(0, SHOWN);
}

/** A row that is swiped on small screens. */
export function RelatedProducts({ product }: { product: DigitalProduct }) {
  const related = useRelated(product);
  if (related.length === 0) return null;
  return (
    <section aria-labelledby="related" className="mt-16 grid gap-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 id="related" className="text-2xl">
          More in {product.category}
        </h2>
        <Link
          to={`/?${new URLSearchParams({ category: product.category })}`}
          className="inline-flex min-h-11 items-center font-semibold text-accent-ink hover:underline"
        >
          See all
        </Link>
      </div>
      <ul className="-mx-4 grid auto-cols-[minmax(15.5rem,44%)] grid-flow-col gap-4 overflow-x-auto px-4 pb-4 snap-x scroll-px-4 sm:-mx-6 sm:px-6 sm:scroll-px-6 lg:auto-cols-[calc((100%-3.75rem)/4)] lg:gap-5 lg:overflow-visible">
        {related.map((other) => (
          <li key={other._id} className="grid snap-start">
            <ProductCard product={other} eager={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}
