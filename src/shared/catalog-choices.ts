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
