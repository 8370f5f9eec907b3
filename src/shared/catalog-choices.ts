import type { Product } from './catalog.ts';
import { type PriceTerms, toCents } from './pricing.ts';

/** Categories of digital products, grouped; used when products are created, edited and filtered. */
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

/**
 * How a digital product is delivered. `unique`: an item from stock for each unit. `shared`: one content for every
 * buyer. `file`: a download. `manual`: a person delivers it after the payment.
 */
export const deliveries = ['unique', 'shared', 'file', 'manual'] as const;
export type Delivery = (typeof deliveries)[number];

export const sortOptions = ['featured', 'price_asc', 'price_desc', 'newest', 'popular'] as const;

const date = (moment: string | null) => (moment === null ? null : new Date(moment));
const duration = ({ startDate, endDate }: Record<'startDate' | 'endDate', string | null>) => ({
  startsAt: date(startDate),
  endsAt: date(endDate),
});

/** Converts a product of the API into the terms that pricing.ts calculates with. */
export function priceTermsOf(product: Pick<Product, 'price' | 'discount' | 'flashSale'>): PriceTerms {
  const { price, discount, flashSale } = product;
  return {
    priceCents: toCents(price),
    discount: discount && discountTermsOf(discount),
    flashSale: flashSale && {
      ...duration(flashSale),
      priceCents: toCents(flashSale.price),
      unitsLeft: flashSale.unitsLeft,
    },
  };
}

function discountTermsOf(discount: NonNullable<Product['discount']>): PriceTerms['discount'] {
  const { type, value } = discount;
  if (type === 'none') return null;
  if (type === 'fixed') return { type, amountCents: toCents(value), ...duration(discount) };
  return { type, basisPoints: Math.round(value * 100), ...duration(discount) };
}
