import { Plus } from 'lucide-react';
import { Link } from 'react-router';
import { RESERVED } from '../../../shared/cart-rules.ts';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/card.tsx';
import { CategoryIcon, Picture } from '../../ui/picture.tsx';
import { useStateOfProductLink } from './list-place.ts';
import { hasTimedOffer, offerOf } from './offer.ts';
import { OfferBadge, StockBadge } from './offer-badge.tsx';
import { Price } from './price.tsx';
import { useAddToCart } from './use-add-to-cart.ts';

const cardClass = 'flex flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card';

export function ProductCard({ product, eager }: { product: DigitalProduct; eager: boolean }) {
  const { _id, name, description, category, image, stock, reserved } = product;
  const now = useNow(hasTimedOffer(product, Date.now()));
  const offer = offerOf(product, now);
  const addToCart = useAddToCart();
  const linkState = useStateOfProductLink();
  return (
    <article
      className={`${cardClass} group relative transition-[box-shadow,translate] hover:shadow-lift motion-safe:hover:-translate-y-0.5`}
    >
      <Picture
        src={image}
        alt=""
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
        <h3 className="leading-snug wrap-anywhere sm:text-lg">
          <Link
            to={`/digital-product/${_id}`}
            state={linkState}
            className="rounded-sm after:absolute after:inset-0 after:rounded-lg"
          >
            {name}
          </Link>
        </h3>
        <p className="line-clamp-2 text-sm text-muted">{description}</p>
        <div className="mt-auto flex items-end justify-between gap-3 pt-3 max-sm:flex-col max-sm:items-stretch">
          <div className="grid justify-items-start gap-1.5">
            <OfferBadge offer={offer} now={now} />
            <Price offer={offer} />
          </div>
          <Button
            size="sm"
            disabled={stock === 0}
            aria-label={`Add ${name} to cart`}
            onClick={() => addToCart(product)}
            className="relative z-10 min-h-11 shrink-0"
          >
            <Plus aria-hidden className="size-4" />
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
