/** Regions in which a digital product can be activated. */
export const regions = [
  'Global',
  'Europe',
  'North America',
  'Latin America',
  'Asia',
  'Southeast Asia',
  'Malaysia',
  'Singapore',
  'Indonesia',
  'United States',
  'United Kingdom',
  'Japan',
  'Australia',
] as const;

/** Platforms on which a digital product is activated or used. */
export const platforms = [
  'Steam',
  'Epic Games',
  'GOG',
  'EA app',
  'Ubisoft Connect',
  'Battle.net',
  'PlayStation',
  'Xbox',
  'Nintendo',
  'Windows',
  'macOS',
  'Android',
  'iOS',
  'Web',
] as const;
