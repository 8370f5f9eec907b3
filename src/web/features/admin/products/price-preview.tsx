import { formatPrice } from '../../../../shared/currency.ts';
import { formatMoment } from '../../../../shared/format.ts';
import { effectivePrice, priceTermsOf } from '../../../../shared/pricing.ts';
import { useNow } from '../../../lib/shop-clock.ts';
import { Badge } from '../../../ui/badge.tsx';
import { type AdminProduct, bodyOf, type ProductValues } from './product-values.ts';

interface PricePreviewProps {
  values: ProductValues;
  /** The product that filled the form. */
  original: AdminProduct;
  heading: 'h2' | 'h3';
}

const offerNames = { discount: 'Discount', 'flash-sale': 'Flash sale' } as const;

/** What one unit will cost once the form is saved, now and when an offer starts. Follows the form and the clock. */
export function PricePreview({ values, original, heading: Heading }: PricePreviewProps) {
  const now = new Date(useNow(true));
  const { price, discount, flashSale } = bodyOf(values, original);
  const unitsLeft = flashSale && unitsLeftOf(flashSale, original);
  const terms = priceTermsOf({ price, discount, flashSale: flashSale && { ...flashSale, active: true, unitsLeft } });
  const starts = [terms.discount?.startsAt, terms.flashSale?.startsAt]
    .filter((start) => start instanceof Date)
    .filter((start) => start > now)
    .sort((a, b) => a.getTime() - b.getTime());
  return (
    <section aria-label="What a shopper will see" className="grid gap-2 rounded-md bg-sunken p-4">
      <Heading className="text-base">What a shopper will see</Heading>
      {!(price > 0) && <p className="text-sm text-muted">Type a price above 0.</p>}
      <dl className="grid gap-2">
        {(price > 0 ? [null, ...starts] : []).map((from) => {
          const { unitPriceCents, source } = effectivePrice(terms, 1, from ?? now);
          return (
            <div
              key={from?.toISOString() ?? 'now'}
              className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <dt className="text-sm text-muted">{from ? `From ${formatMoment(from)}` : 'Now'}</dt>
              <dd className="tabular flex flex-wrap items-baseline gap-x-2 gap-y-1">
                {source !== 'regular' && (
                  <Badge tone="sale">
                    {offerNames[source]}
                    {source === 'flash-sale' && unitsLeft !== null && `, ${unitsLeft} left`}
                  </Badge>
                )}
                <strong>{formatPrice(unitPriceCents)}</strong>
                {unitPriceCents < terms.priceCents && (
                  <s className="text-sm text-muted">{formatPrice(terms.priceCents)}</s>
                )}
                <span className="text-sm text-muted">{formatPrice(unitPriceCents, 'MYR')}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

type FlashSale = NonNullable<ReturnType<typeof bodyOf>['flashSale']>;

/** Returns the units left of a flash sale; null without a limit. A sale with a new price or time has all its units. */
function unitsLeftOf(sale: FlashSale, { flashSale: original }: AdminProduct): number | null {
  const { limitedStock: limit } = sale;
  if (limit === null) return null;
  const isSame =
    original !== null &&
    sale.price === original.price &&
    (sale.startDate ?? original.startDate) === original.startDate &&
    sale.endDate === original.endDate;
  const taken = isSame ? (original.limitedStock ?? 0) - (original.unitsLeft ?? 0) : 0;
  return Math.max(0, limit - taken);
}
