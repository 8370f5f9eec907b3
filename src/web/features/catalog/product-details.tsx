import type { DigitalProduct } from '../../../shared/catalog.ts';
import { useNow } from '../../lib/use-now.ts';
import { CategoryIcon, Picture } from '../../ui/picture.tsx';
import { BackToList } from './back-to-list.tsx';
import { BuyBox } from './buy-box.tsx';
import { DeliveryNotes } from './delivery-notes.tsx';
import { hasTimedOffer, offerOf } from './offer.ts';
import { OfferBadge, StockBadge } from './offer-badge.tsx';
import { Price } from './price.tsx';
import { RelatedProducts } from './related-products.tsx';
import { RunningOffer } from './running-offer.tsx';
import { ShareButton } from './share-button.tsx';

export function ProductDetails({ product }: { product: DigitalProduct }) {
  const { name, description, category, image, stock } = product;
  const now = useNow(hasTimedOffer(product, Date.now()));
  const offer = offerOf(product, now);
  return (
    <div className="mx-auto max-w-page px-4 pt-4 sm:px-6">
      <div className="flex items-center justify-between gap-4">
        <BackToList />
        <ShareButton name={name} />
      </div>
      <article className="mt-2 grid items-start gap-x-12 gap-y-8 md:grid-cols-2">
        <Picture
          src={image}
          alt={`Cover of ${name}`}
          eager
          className="aspect-4/3 rounded-xl border border-line shadow-card md:sticky md:top-24"
          category={category}
        />
        <div className="grid gap-5">
          <p className="flex items-center gap-2 text-sm font-medium text-muted">
            <CategoryIcon category={category} className="size-5 text-accent" />
            {category}
          </p>
          <h1 className="-mt-2 text-3xl">{name}</h1>
          <div className="flex flex-wrap items-center gap-3">
            <Price offer={offer} className="[&>span:first-child]:text-2xl" />
            <OfferBadge offer={offer} />
            <StockBadge stock={stock} />
          </div>
          <RunningOffer offer={offer} now={now} />
          <p className="max-w-reading whitespace-pre-line">{description}</p>
          <BuyBox product={product} now={now} />
          <DeliveryNotes product={product} />
        </div>
      </article>
      <RelatedProducts product={product} />
    </div>
  );
}
