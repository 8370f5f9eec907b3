import { Plus, Star, Zap } from 'lucide-react';
import { Link, type LinkProps, useLocation } from 'react-router';
import { RESERVED, UNLIMITED_STOCK } from '../../../shared/cart-rules.ts';
import type { Product } from '../../../shared/catalog.ts';
import { formatCount, plural } from '../../../shared/format.ts';
import { productPath } from '../../../shared/pages.ts';
import { useClock } from '../../lib/shop-clock.ts';
import { add } from '../../state/cart-actions.ts';
import { useCurrency } from '../../state/shop.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { Badge, CategoryIcon, classNames, Picture, Skeleton } from '../../ui/display.tsx';
import { type Offer, timeLeft, useOffer } from './offer.ts';

const cardClass = 'flex flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card';

export function ProductCard({ product, eager }: { product: Product; eager: boolean }) {
  const { name, description, category, image, stock, reserved } = product;
  const offer = useOffer(product);
  const addToCart = useAddToCart();
  return (
    <article
      className={`${cardClass} group relative transition-[box-shadow,translate] hover:shadow-lift motion-safe:hover:-translate-y-0.5`}>
      <Picture
        src={image}
        eager={eager}
        className={`aspect-4/3 ${stock === 0 ? 'opacity-60 grayscale' : ''}`}
        category={category}
      />
      <div className="flex flex-1 flex-col gap-1.5 p-3 sm:p-4">
        <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1.5">
          <p className="flex min-w-0 items-center gap-1.5 text-xs font-medium text-muted">
            <CategoryIcon category={category} className="size-4 shrink-0 text-accent" />
            <span className="truncate">{category}</span>
          </p>
          <StockBadge stock={stock} />
        </div>
        {reserved && <p className="text-xs text-muted">{RESERVED}</p>}
        <h3 dir="auto" className="text-left leading-snug wrap-anywhere sm:text-lg">
          <ProductLink product={product} className="rounded-sm after:absolute after:inset-0 after:rounded-lg">
            <span className="line-clamp-4">{name}</span>
          </ProductLink>
        </h3>
        <Rating product={product} />
        <p dir="auto" className="line-clamp-2 text-sm text-muted">
          {description}
        </p>
        <div className="mt-auto flex items-end justify-between gap-3 pt-3 max-sm:flex-col max-sm:items-stretch">
          <div className="grid justify-items-start gap-1.5">
            <OfferBadge offer={offer} showsTimeLeft />
            <Price offer={offer} />
          </div>
          <Button
            icon={Plus}
            size="sm"
            disabled={stock === 0}
            aria-label={`Add ${name} to cart`}
            onClick={() => addToCart(product)}
            className="relative z-10 min-h-11 shrink-0">
            Add
          </Button>
        </div>
      </div>
    </article>
  );
}

export function ProductCardSkeleton() {
  return (
    <div className={cardClass}>
      <Skeleton className="aspect-4/3 rounded-none" />
      <div className="grid gap-2.5 p-3 sm:p-4">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-5 w-4/5" />
        <Skeleton className="h-4 w-full" />
        <Skeleton className="h-4 w-2/3" />
        <div className="flex items-end justify-between gap-3 pt-3 max-sm:flex-col max-sm:items-stretch">
          <Skeleton className="h-7 w-20" />
          <Skeleton className="h-11 sm:w-20" />
        </div>
      </div>
    </div>
  );
}

export function OfferBadge({ offer, showsTimeLeft = false }: { offer: Offer; showsTimeLeft?: boolean }) {
  // An offer may be as high as the regular price.
  if (offer.regularPriceCents === undefined) return null;
  const percent = offer.percentOff ? `-${offer.percentOff}%` : 'Sale';
  if (offer.source === 'discount') return <Badge tone="sale">{percent}</Badge>;
  return (
    <Badge tone="sale" className="flex-wrap">
      {/* Left out where the badge would not fit into its card. */}
      <Zap aria-hidden className="size-3 fill-current max-[22rem]:hidden" />
      <span className="sr-only">Flash sale</span>
      {percent}
      {offer.endsAt && showsTimeLeft && (
        <span className="font-medium">
          <span aria-hidden>· </span>
          <span className="sr-only">ends in </span>
          <TimeLeft until={offer.endsAt} as={timeLeft} />
        </span>
      )}
    </Badge>
  );
}

/** The only part of a product that renders every second. */
export const TimeLeft = ({ until, as }: { until: Date; as: typeof timeLeft }) => useClock((now) => as(until, now));

const LOW_STOCK = 10;

export function StockBadge({ stock }: { stock: number }) {
  const tone = stock === 0 ? 'danger' : stock < LOW_STOCK ? 'warning' : 'accent';
  return (
    <Badge tone={tone}>
      {stock === 0 ? 'Out of stock' : stock === UNLIMITED_STOCK ? 'In stock' : `${formatCount(stock)} available`}
    </Badge>
  );
}

/** Stars and the number of reviews; nothing without reviews. */
export function Rating({ product: { rating, numReviews } }: { product: Product }) {
  if (numReviews === 0) return null;
  return (
    <p className="tabular flex items-center gap-1 text-sm text-muted">
      <Star aria-hidden className="size-4 fill-current text-warning" />
      <b className="text-ink">{rating.toFixed(1)}</b>
      <span>
        <span className="sr-only"> of 5 stars, </span>({numReviews}
        <span className="sr-only"> {plural(numReviews, 'review')}</span>)
      </span>
    </p>
  );
}

export function Price({ offer, className }: { offer: Offer; className?: string }) {
  const { format } = useCurrency();
  const isOffer = offer.regularPriceCents !== undefined;
  const price = format(offer.unitPriceCents);
  // On a phone a large amount fits into its card only if it is smaller.
  const size = price.length > 9 ? 'text-base sm:text-xl' : 'text-xl';
  return (
    <p className={classNames('tabular flex flex-wrap items-baseline gap-x-2 leading-tight wrap-anywhere', className)}>
      <span className={classNames(size, 'font-bold tracking-tight', isOffer && 'text-sale')}>
        {isOffer && <span className="sr-only">Now </span>}
        {price}
      </span>
      {offer.regularPriceCents !== undefined && (
        <span className="text-sm text-muted">
          <span className="sr-only">instead of </span>
          <s>{format(offer.regularPriceCents)}</s>
        </span>
      )}
    </p>
  );
}

export function useAddToCart() {
  const { show } = useToasts();
  return (product: Product, quantity = 1) => {
    const refusal = add(product, quantity);
    if (refusal !== undefined) return show({ type: 'error', message: refusal });
    const { name, image, category } = product;
    show({ type: 'success', message: 'Added to cart', product: { name, image, category } });
  };
}

/** Where the product list is in the tab's history: its path with filters, and the number of entries back. */
interface ListPlace {
  list: string;
  steps: number;
}

/** The list from which this product was reached, directly or through other products; undefined if there is none. */
export function useListPlace(): ListPlace | undefined {
  const { list, steps } = (useLocation().state ?? {}) as Partial<ListPlace>;
  return list !== undefined && steps !== undefined ? { list, steps } : undefined;
}

/** Link to a product. The link's state tells the product page where the list is in the history. */
export function ProductLink({ product, ...link }: Omit<LinkProps, 'to' | 'state'> & { product: Product }) {
  const { pathname, search } = useLocation();
  const before = useListPlace();
  const place =
    pathname === '/' ? { list: pathname + search, steps: 1 } : before && { ...before, steps: before.steps + 1 };
  return <Link {...link} to={productPath(product)} state={place} />;
}
