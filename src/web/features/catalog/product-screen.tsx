import { type InfiniteData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, ChevronLeft, PackageX, Share2 } from 'lucide-react';
import { type MouseEvent, useRef, useState } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import type { Product, ProductKind } from '../../../shared/catalog.ts';
import { listPath } from '../../../shared/pages.ts';
import { messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { isNotFound } from '../../state/answers.ts';
import { loadProducts, productQuery } from '../../state/shop.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useCopy } from '../../ui/copy.tsx';
import { CategoryIcon, classNames, EmptyState, Picture, Skeleton } from '../../ui/display.tsx';
import { LoadFailure } from '../../ui/loading.tsx';
import { BuyBox, DeliveryNotes, RunningOffer } from './buy-box.tsx';
import { useOffer } from './offer.ts';
import { OfferBadge, Price, ProductCard, Rating, StockBadge, useListPlace } from './product-card.tsx';
import { ProductReviews } from './product-reviews.tsx';

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
    const text = messageOf(error, '');
    return <LoadFailure icon={PackageX} heading="h1" title="This product did not load" text={text} query={query} />;
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

function ProductDetails({ product }: { product: Product }) {
  const { kind, name, description, category, stock } = product;
  const offer = useOffer(product);
  return (
    <div className="mx-auto max-w-page px-4 pt-4 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <BackToList kind={kind} />
        <ShareButton name={name} />
      </div>
      <article className="mt-2 grid items-start gap-x-12 gap-y-8 md:grid-cols-2">
        <Gallery product={product} />
        <div className="grid gap-5">
          <p className="flex items-center gap-2 text-sm font-medium text-muted wrap-anywhere">
            <CategoryIcon category={category} className="size-5 shrink-0 text-accent" />
            {category}
          </p>
          <h1 dir="auto" className="-mt-2 text-left text-3xl wrap-anywhere">
            {name}
          </h1>
          <Rating product={product} />
          <div className="flex flex-wrap items-center gap-3">
            <Price offer={offer} className="[&>span:first-child]:text-2xl" />
            <OfferBadge offer={offer} />
            <StockBadge stock={stock} />
          </div>
          <RunningOffer offer={offer} />
          <BuyBox product={product} />
          <p dir="auto" className="max-w-reading whitespace-pre-line wrap-anywhere">
            {description}
          </p>
          <DeliveryNotes product={product} />
        </div>
      </article>
      <ProductReviews product={product} />
      <RelatedProducts product={product} />
    </div>
  );
}

/** Shows a product's pictures one at a time: a swipe, an arrow key or a thumbnail leads to the next. */
function Gallery({ product: { name, images: listed, category } }: { product: Product }) {
  const images = listed.length > 0 ? [...new Set(listed)] : [''];
  const frame = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(0);
  // The product may have fewer pictures after an edit.
  const place = Math.min(shown, images.length - 1);
  const hasSeveral = images.length > 1;

  return (
    <div className="grid grid-cols-1 gap-3 md:sticky md:top-[calc(var(--below-header)+1.5rem)]">
      <div
        ref={frame}
        {...(hasSeveral && { tabIndex: 0, role: 'group', 'aria-label': `Pictures of ${name}` })}
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) => setShown(Math.round(scrollLeft / clientWidth))}
        className="flex snap-x snap-mandatory overflow-x-auto scroll-smooth overscroll-x-contain rounded-xl border border-line shadow-card [scrollbar-width:none]">
        {images.map((image, index) => (
          <div key={image} aria-hidden={index !== place} className="w-full shrink-0 snap-start snap-always">
            <Picture
              src={image}
              alt={index === 0 ? `Cover of ${name}` : `Picture ${index + 1} of ${name}`}
              eager={index === 0}
              className="aspect-4/3"
              category={category}
            />
          </div>
        ))}
      </div>
      {hasSeveral && (
        <ul aria-label="Pictures" className="flex flex-wrap gap-2">
          {images.map((image, index) => (
            <li key={image}>
              <button
                type="button"
                aria-label={`Picture ${index + 1} of ${images.length}`}
                aria-pressed={index === place}
                onClick={() => frame.current?.scrollTo({ left: index * frame.current.clientWidth })}
                className={classNames(
                  'block rounded-md border-2 p-0.5 transition-colors',
                  index === place ? 'border-accent' : 'border-transparent hover:border-line',
                )}>
                <Picture src={image} className="h-13 w-17 rounded-sm" category={category} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const MAX_RELATED = 4;

function RelatedProducts({ product: { kind, _id, category } }: { product: Product }) {
  // An error is not shown, as for the list itself (docs/conformance.md).
  const { data = [] } = useQuery({
    queryKey: ['related', kind, category],
    // One more than shown, because the response may contain the product itself.
    queryFn: async () => (await loadProducts(kind, { category, sort: 'popular', limit: MAX_RELATED + 1 })).data,
  });
  const related = data.filter((other) => other._id !== _id).slice(0, MAX_RELATED);
  if (related.length === 0) return null;
  return (
    <section aria-labelledby="related" className="mt-16 grid gap-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 id="related" className="text-2xl wrap-anywhere">
          More in {category}
        </h2>
        <Link
          to={listPath(kind, category)}
          className="inline-flex min-h-11 items-center font-semibold text-accent-ink hover:underline">
          See all
        </Link>
      </div>
      <ul className="-mx-4 grid auto-cols-[minmax(15.5rem,44%)] grid-flow-col gap-4 overflow-x-auto px-4 pb-4 snap-x scroll-px-4 sm:-mx-6 sm:px-6 sm:scroll-px-6 lg:auto-cols-[calc((100%-3.75rem)/4)] lg:gap-5 lg:overflow-visible">
        {related.map((other) => (
          // A browser does not scroll to a focused card of which a part is visible.
          <li
            key={other._id}
            onFocus={({ target, currentTarget }) =>
              target.matches(':focus-visible') && currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
            }
            className="grid snap-start">
            <ProductCard product={other} eager={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Opens the system's share dialog, or copies the URL if the browser has none. */
function ShareButton({ name }: { name: string }) {
  const { copied, copy } = useCopy();
  const Icon = copied ? Check : Share2;

  async function share() {
    const url = window.location.origin + window.location.pathname;
    if (!('share' in navigator)) return copy(url);
    try {
      await navigator.share({ title: name, url });
    } catch (failure) {
      // The shopper closed the dialog: nothing to do. After any other failure the URL is copied.
      if (!(failure instanceof DOMException && failure.name === 'AbortError')) await copy(url);
    }
  }

  return (
    <Button variant="quiet" size="sm" onClick={() => void share()} className="min-h-11 text-muted">
      <Icon aria-hidden className="size-4.5" />
      <span aria-live="polite">{copied ? 'Link copied' : 'Share'}</span>
    </Button>
  );
}

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;

/** Leads back through the history, which keeps the scroll position; a plain link if the list is not in it. */
function BackToList({ kind }: { kind: ProductKind }) {
  const place = useListPlace();
  const navigate = useNavigate();

  function goBack(click: MouseEvent) {
    if (place === undefined || !isPlain(click)) return;
    click.preventDefault();
    void navigate(-place.steps);
  }

  return (
    <Link
      to={place?.list ?? listPath(kind)}
      onClick={goBack}
      className="inline-flex min-h-11 items-center gap-1 text-sm font-semibold text-muted hover:text-accent-ink">
      <ChevronLeft aria-hidden className="size-4" />
      All products
    </Link>
  );
}
