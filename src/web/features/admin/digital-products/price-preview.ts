import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { priceTermsOf } from '../../../../shared/price-terms.ts';
import { type EffectivePrice, effectivePrice } from '../../../../shared/pricing.ts';
import { bodyOf, type ProductValues } from './product-form.ts';

/** What one unit will cost from a moment on, which is null for now. Money is integer cents of USD. */
export interface PreviewedPrice extends EffectivePrice {
  from: Date | null;
  regularPriceCents: number;
  unitsLeft: number | null;
}

/** What shoppers will see of the form once it is saved: now, and when an offer starts; nothing without a price. */
export function previewPrices(
  values: ProductValues,
  original: AdminDigitalProduct | undefined,
  now: Date,
): PreviewedPrice[] {
  const { price, discount, flashSale } = bodyOf(values, original);
  if (!(price > 0)) return [];
  const terms = priceTermsOf({
    price,
    discount,
    flashSale: flashSale && {
      ...flashSale,
      active: true,
      unitsLeft: unitsLeftOf(flashSale, original?.flashSale ?? null),
    },
  });
  const starts = [terms.discount?.startsAt, terms.flashSale?.startsAt]
    .filter((start) => start instanceof Date)
    .filter((start) => start > now)
    .sort((a, b) => a.getTime() - b.getTime());
  return [null, ...starts].map((from) => {
    const price = effectivePrice(terms, 1, from ?? now);
    return {
      ...price,
      from,
      regularPriceCents: terms.priceCents,
      unitsLeft: price.source === 'flash-sale' ? (terms.flashSale?.unitsLeft ?? null) : null,
    };
  });
}

type FlashSale = NonNullable<AdminDigitalProduct['flashSale']>;

/** The same sale goes on with what is left of it, another one begins with all of its units. */
function unitsLeftOf(
  sale: NonNullable<ReturnType<typeof bodyOf>['flashSale']>,
  original: FlashSale | null,
): number | null {
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
