import * as z from 'zod/mini';
import { type Endpoints, forAll, listResponse } from './endpoint.ts';
import { toCents } from './pricing.ts';
import { dollars, line, requiredLine } from './text.ts';

/** Where parcels go. The server also checks the postcode, the state and the country (docs/operations.md). */
export const shippingAddress = z.object({
  street: requiredLine(200),
  city: requiredLine(100),
  /** Empty where the country has none. */
  state: line(100),
  zipCode: line(20),
  country: requiredLine(100),
});
export type ShippingAddress = z.infer<typeof shippingAddress>;

const rate = z.object({
  /** Grams or dollars, by the zone's `by`; left out in the last rate, it has no upper end. */
  upTo: z.optional(z.number().check(z.positive())),
  /** Dollars for the whole order. */
  price: z.number().check(z.minimum(0), z.maximum(10_000)),
});

const ascending = (rates: z.infer<typeof rate>[]) =>
  rates.every(({ upTo }, index) => {
    const next = rates[index + 1];
    return next === undefined || (upTo !== undefined && (next.upTo === undefined || next.upTo > upTo));
  });

/** Countries to which shipping costs the same. */
const shippingZone = z.object({
  name: requiredLine(60),
  /** ISO 3166-1 codes, as in MY; `*` is every country that no zone names. */
  countries: z
    .array(z.string().check(z.regex(/^([A-Z]{2}|\*)$/, 'must be a code of two letters, or *')))
    .check(z.minLength(1)),
  /** What `upTo` measures: grams of all units, or the dollars that they cost. */
  by: z.enum(['weight', 'subtotal']),
  rates: z
    .array(rate)
    .check(z.minLength(1), z.refine(ascending, 'must ascend by upTo, which only the last one may leave out')),
  /** Dollars: free for physical goods worth this much or more. */
  freeAbove: z.optional(z.number().check(z.positive())),
});
export type ShippingZone = z.infer<typeof shippingZone>;

const eachOnce = (zones: ShippingZone[]) => {
  const named = zones.flatMap(({ countries }) => countries);
  return new Set(named).size === named.length;
};

export const shippingZones = z.array(shippingZone).check(z.refine(eachOnce, 'must name each country once'));

/** In force until the shop sets its own (SHIPPING_ZONES, docs/operations.md). */
export const defaultShippingZones: ShippingZone[] = [
  {
    name: 'Malaysia',
    countries: ['MY'],
    by: 'weight',
    rates: [{ upTo: 2_000, price: 5.9 }, { upTo: 10_000, price: 11.9 }, { price: 24.9 }],
    freeAbove: 100,
  },
  {
    name: 'South-East Asia',
    countries: ['BN', 'ID', 'KH', 'LA', 'MM', 'PH', 'SG', 'TH', 'TL', 'VN'],
    by: 'weight',
    rates: [{ upTo: 2_000, price: 14.9 }, { upTo: 10_000, price: 34.9 }, { price: 69.9 }],
  },
  {
    name: 'Rest of the world',
    countries: ['*'],
    by: 'weight',
    rates: [
      { upTo: 2_000, price: 24.9 },
      { upTo: 10_000, price: 69.9 },
    ],
  },
];

/** What a unit weighs whose product does not say. */
const UNKNOWN_WEIGHT_GRAMS = 1_000;

export const zoneOf = (zones: readonly ShippingZone[], countryCode: string): ShippingZone | undefined =>
  zones.find(({ countries }) => countries.includes(countryCode)) ??
  zones.find(({ countries }) => countries.includes('*'));

/** Cents of USD for shipping these lines in one order; undefined when they are too heavy, or worth too much, for the zone. */
export function shippingCentsOf(
  { by, rates, freeAbove }: ShippingZone,
  lines: readonly { quantity: number; unitPriceCents: number; weightGrams: number | null }[],
): number | undefined {
  const cents = lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0);
  const grams = lines.reduce(
    (sum, { quantity, weightGrams }) => sum + quantity * (weightGrams ?? UNKNOWN_WEIGHT_GRAMS),
    0,
  );
  if (freeAbove !== undefined && cents >= toCents(freeAbove)) return 0;
  const fits = ({ upTo }: ShippingZone['rates'][number]) =>
    upTo === undefined || (by === 'weight' ? grams <= upTo : cents <= toCents(upTo));
  const found = rates.find(fits);
  return found && toCents(found.price);
}

/** What a cart costs with shipping (POST /orders/quote). */
export const quotedOrder = z.object({
  /** A line is physical: the order needs an address. */
  needsShipping: z.boolean(),
  itemsPrice: dollars,
  taxPrice: dollars,
  /** Null until the country is known. */
  shippingPrice: z.nullable(dollars),
  /** Without shipping until the country is known. */
  totalPrice: dollars,
  /** Physical goods of this worth are shipped free to the country; null where they are not, and until it is known. */
  freeShippingAbove: z.nullable(dollars),
});
export type QuotedOrder = z.infer<typeof quotedOrder>;

const addressCountry = z.object({
  code: z.string(),
  /** As an address has it. */
  name: z.string(),
  /** The states to choose from; null where the state is free text, and may be empty. */
  states: z.nullable(z.array(z.string())),
  /** Whether its addresses need a postcode, which is checked. */
  hasPostcode: z.boolean(),
  isShippedTo: z.boolean(),
});
export type AddressCountry = z.infer<typeof addressCountry>;

export const shippingEndpoints = {
  'GET /shipping/countries': forAll('The countries of addresses, what they need, and whether the shop ships to them', {
    limit: 'catalogue',
    output: listResponse(addressCountry),
  }),
} as const satisfies Endpoints;
