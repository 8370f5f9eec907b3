import type { DigitalProduct } from './catalog.ts';
import { type PriceTerms, toCents } from './pricing.ts';

/** One list of categories for creation, editing and filters. */
export const categoryGroups = {
  Types: [
    'Game Keys',
    'Software Licenses',
    'Premium Accounts',
    'Gift Cards',
    'Music/Movies',
    'eBooks',
    'Courses',
    'Other',
  ],
  Brands: [
    'Discord Nitro',
    'Steam Keys',
    'Epic Games',
    'Netflix',
    'Spotify',
    'YouTube Premium',
    'Game Accounts',
    'Xbox Game Pass',
    'PlayStation Plus',
    'VPN',
    'Other Digital',
  ],
} as const;

export const categories = [...categoryGroups.Types, ...categoryGroups.Brands] as const;

export const sortOptions = ['featured', 'price_asc', 'price_desc', 'newest', 'popular'] as const;

const date = (moment: string | null) => (moment === null ? null : new Date(moment));

/** The pricing rule's view of a product as the API describes it. */
export function priceTermsOf(product: Pick<DigitalProduct, 'price' | 'discount' | 'flashSale'>): PriceTerms {
  const { discount: offer, flashSale: flash } = product;
  return {
    priceCents: toCents(product.price),
    discount:
      offer === null || offer.type === 'none'
        ? null
        : {
            ...(offer.type === 'percentage'
              ? { type: 'percentage' as const, basisPoints: Math.round(offer.value * 100) }
              : { type: 'fixed' as const, amountCents: toCents(offer.value) }),
            startsAt: date(offer.startDate),
            endsAt: date(offer.endDate),
          },
    flashSale:
      flash === null
        ? null
        : {
            priceCents: toCents(flash.price),
            startsAt: date(flash.startDate),
            endsAt: date(flash.endDate),
            unitsLeft: flash.unitsLeft,
          },
  };
}
