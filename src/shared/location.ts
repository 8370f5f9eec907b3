import * as z from 'zod/mini';

/** Where a visitor seems to be, in the field names of common IP-location services. */
export const location = z.object({
  /** ISO 3166-1 alpha-2; empty when the country could not be told. */
  country_code: z.string(),
  country_name: z.string(),
  ip: z.string(),
  /** Only known where a proxy in front tells it. */
  city: z.string(),
});
export type VisitorLocation = z.infer<typeof location>;
