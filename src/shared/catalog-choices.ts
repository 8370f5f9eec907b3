import type { Product } from './catalog.ts';
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

/**
 * How a digital product is delivered: an item from stock for each unit, one content for every buyer, files, or by a person
 * after the payment.
 */
export const deliveries = ['unique', 'shared', 'file', 'manual'] as const;
export type Delivery = (typeof deliveries)[number];

export const sortOptions = ['featured', 'price_asc', 'price_desc', 'newest', 'popular'] as const;

const date = (moment: string | null) => (moment === null ? null : new Date(moment));
const duration = ({ startDate, endDate }: Record<'startDate' | 'endDate', string | null>) => ({
  startsAt: date(startDate),
  endsAt: date(endDate),
});

/** The pricing rule's view of a product as the API describes it. */
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
