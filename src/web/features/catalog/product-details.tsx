import { BadgeCheck, ChevronLeft, MailCheck, ShoppingCart, Zap } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { priceTermsOf } from '../../../shared/price-terms.ts';
import { effectivePrice } from '../../../shared/pricing.ts';
import { useNow } from '../../lib/use-now.ts';
import { useCurrency } from '../../state/currency.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Picture } from '../../ui/picture.tsx';
import { QuantityStepper } from '../../ui/quantity-stepper.tsx';
import { CategoryIcon } from './category-icon.tsx';
import { hasTimedOffer, offerOf, timeLeft } from './offer.ts';
import { OfferBadge, StockBadge } from './offer-badge.tsx';
import { Price } from './price.tsx';
import { useAddToCart } from './use-add-to-cart.ts';

export function ProductDetails({ product }: { product: DigitalProduct }) {
  const { name, description, category, image, stock } = product;
  const now = useNow(hasTimedOffer(product, Date.now()));
  const offer = offerOf(product, now);
  return (
    <div className="mx-auto max-w-page px-4 pt-4 sm:px-6">
      <Link
        to="/"
        className="inline-flex min-h-11 items-center gap-1 text-sm font-semibold text-muted hover:text-accent-ink"
      >
        <ChevronLeft aria-hidden className="size-4" />
        All products
      </Link>
      <article className="mt-2 grid items-start gap-x-12 gap-y-8 md:grid-cols-2">
        <Picture
          src={image}
          alt={`Cover of ${name}`}
          eager
          className="aspect-4/3 rounded-xl border border-line shadow-card md:sticky md:top-24"
          placeholder={<CategoryIcon category={category} className="size-20 opacity-60" />}
        />
        <div className="grid gap-5">
          <p className="flex items-center gap-2 text-sm font-medium text-muted">
            <CategoryIcon category={category} className="size-5 text-accent" />
            {category}
          </p>
          <h1 className="-mt-2 text-3xl">{name}</h1>
          <div className="flex flex-wrap items-center gap-3">
            <Price offer={offer} className="[&>span:first-child]:text-2xl" />
            <OfferBadge offer={offer} now={now} />
            <StockBadge stock={stock} />
          </div>
          {offer.source === 'flash-sale' && (
            <p className="tabular text-sm font-medium text-sale">
              Flash sale{offer.endsAt && `, ends in ${timeLeft(offer.endsAt, now)}`}
              {offer.unitsLeft !== undefined && `, ${offer.unitsLeft} left at this price`}
            </p>
          )}
          <p className="max-w-reading whitespace-pre-line">{description}</p>
          <BuyBox product={product} now={now} />
          <DeliveryNotes product={product} />
        </div>
      </article>
    </div>
  );
}

function BuyBox({ product, now }: { product: DigitalProduct; now: number }) {
  const [quantity, setQuantity] = useState(1);
  const { code, format } = useCurrency();
  const addToCart = useAddToCart();
  const { unitPriceCents } = effectivePrice(priceTermsOf(product), quantity, new Date(now));
  const choose = (wanted: number) => setQuantity(Math.min(wanted, Math.max(1, product.stock)));
  return (
    <Card className="grid gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        {product.stock > 0 && <QuantityStepper quantity={quantity} of={product.name} onChange={choose} />}
        <Button
          size="lg"
          disabled={product.stock === 0}
          onClick={() => addToCart(product, quantity)}
          className="min-w-48 flex-1"
        >
          <ShoppingCart aria-hidden className="size-5" />
          {product.stock === 0 ? 'Out of stock' : 'Add to cart'}
        </Button>
      </div>
      {quantity > 1 && (
        <p aria-live="polite" className="tabular text-sm text-muted">
          {quantity} × {format(unitPriceCents)} ={' '}
          <b className="text-ink">{format(unitPriceCents * quantity)}</b>
        </p>
      )}
      {code !== 'USD' && <p className="text-sm text-muted">Payment is always in USD.</p>}
    </Card>
  );
}

const daysOf = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`;

function DeliveryNotes({ product: { deliveryInstructions, warranty } }: { product: DigitalProduct }) {
  return (
    <dl className="grid gap-5 border-t border-line pt-5 text-sm">
      <Note icon={Zap} title="Delivery">
        At once: it is on your order’s page as soon as the payment is through.
      </Note>
      {deliveryInstructions && (
        <Note icon={MailCheck} title="How to use it">
          {deliveryInstructions}
        </Note>
      )}
      {warranty > 0 && (
        <Note icon={BadgeCheck} title="Warranty">
          {daysOf(warranty)} from delivery. If it does not work, we replace it.
        </Note>
      )}
    </dl>
  );
}

function Note({ icon: Icon, title, children }: { icon: typeof Zap; title: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
      <Icon aria-hidden className="row-span-2 mt-0.5 size-5 text-accent" />
      <dt className="font-semibold">{title}</dt>
      <dd className="max-w-reading whitespace-pre-line text-muted">{children}</dd>
    </div>
  );
}
