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
