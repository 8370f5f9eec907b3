import * as z from 'zod/mini';
import { type Endpoints, forAll, listResponse } from './endpoint.ts';
import { byAmount, toCents } from './pricing.ts';
import { amount } from './product-prices.ts';
import { dollars, line, requiredLine } from './text.ts';

/** Address of a delivery. The server also checks postcode, state and country (docs/operations.md). */
export const shippingAddress = z.object({
  street: requiredLine(200),
  city: requiredLine(100),
  /** Empty if the country has no states. */
  state: line(100),
  zipCode: line(20),
  country: requiredLine(100),
});
export type ShippingAddress = z.infer<typeof shippingAddress>;

const rate = z.object({
  /** Upper limit in grams or dollars, by `by` of the zone. The last rate may leave it out and then has no limit. */
  upTo: z.optional(z.number().check(z.positive())),
  /** Price of shipping the whole order, in dollars. */
  price: amount.check(z.maximum(10_000)),
});

const ascending = (rates: z.infer<typeof rate>[]) =>
  rates.every(({ upTo }, index) => {
    const next = rates[index + 1];
    return next === undefined || (upTo !== undefined && (next.upTo === undefined || next.upTo > upTo));
  });

/** Countries with the same shipping rates. */
const shippingZone = z.object({
  name: requiredLine(60),
  /** ISO 3166-1 alpha-2 codes, e.g. MY; `*` stands for every country that no zone names. */
  countries: z
    .array(z.string().check(z.regex(/^([A-Z]{2}|\*)$/, 'must be a code of two letters, or *')))
    .check(z.minLength(1)),
  /** What `upTo` measures: the weight of all units in grams, or their price in dollars. */
  by: z.enum(['weight', 'subtotal']),
  rates: z
    .array(rate)
    .check(z.minLength(1), z.refine(ascending, 'must ascend by upTo, which only the last one may leave out')),
  /** Shipping is free for physical goods worth this many dollars or more. */
  freeAbove: z.optional(z.number().check(z.positive())),
});
export type ShippingZone = z.infer<typeof shippingZone>;

const eachOnce = (zones: ShippingZone[]) => {
  const named = zones.flatMap(({ countries }) => countries);
  return new Set(named).size === named.length;
};

export const shippingZones = z.array(shippingZone).check(z.refine(eachOnce, 'must name each country once'));

/** Used unless the shop sets its own zones (SHIPPING_ZONES, docs/operations.md). */
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

/** Weight of a unit of a product without a weight. */
const UNKNOWN_WEIGHT_GRAMS = 1_000;

export const zoneOf = (zones: readonly ShippingZone[], countryCode: string): ShippingZone | undefined =>
  zones.find(({ countries }) => countries.includes(countryCode)) ??
  zones.find(({ countries }) => countries.includes('*'));

export interface ShippedLine {
  quantity: number;
  unitPriceCents: number;
  weightGrams: number | null;
}

/** Returns the shipping of an order with these lines in cents of USD; undefined if no rate of the zone fits. */
export function shippingCentsOf(
  { by, rates, freeAbove }: ShippingZone,
  lines: readonly ShippedLine[],
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

/** Totals of a cart with shipping (POST /orders/quote). */
export const quotedOrder = z.object({
  /** A line is physical, so the order needs an address. */
  needsShipping: z.boolean(),
  /** The total excludes shipping until the country is known. */
  ...byAmount('Price', () => dollars),
  /** Null for physical goods until the country is known. */
  shippingPrice: z.nullable(dollars),
  /** Shipping is free for physical goods worth this much; null if never, or until the country is known. */
  freeShippingAbove: z.nullable(dollars),
});

const addressCountry = z.object({
  code: z.string(),
  /** Name of the country in addresses. */
  name: z.string(),
  /** The states to choose from; null if the state is free text and may be empty. */
  states: z.nullable(z.array(z.string())),
  /** Whether an address needs a postcode, whose format is checked. */
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

/** Carriers with their tracking pages; `{number}` stands for the tracking number. */
export const carriers = [
  { name: 'Pos Malaysia', trackingUrl: 'https://tracking.pos.com.my/tracking/{number}' },
  { name: 'Pos Laju', trackingUrl: 'https://tracking.pos.com.my/tracking/{number}' },
  { name: 'J&T Express', trackingUrl: 'https://www.jtexpress.my/tracking/{number}' },
  { name: 'Ninja Van', trackingUrl: 'https://www.ninjavan.co/en-my/tracking?id={number}' },
  { name: 'DHL', trackingUrl: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id={number}' },
  { name: 'FedEx', trackingUrl: 'https://www.fedex.com/fedextrack/?trknbr={number}' },
  { name: 'UPS', trackingUrl: 'https://www.ups.com/track?tracknum={number}' },
  { name: 'USPS', trackingUrl: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={number}' },
  { name: 'Singapore Post', trackingUrl: 'https://www.singpost.com/track-items?trackingId={number}' },
  { name: 'Royal Mail', trackingUrl: 'https://www.royalmail.com/track-your-item#/tracking-results/{number}' },
  { name: 'Australia Post', trackingUrl: 'https://auspost.com.au/mypost/track/details/{number}' },
  { name: 'Canada Post', trackingUrl: 'https://www.canadapost-postescanada.ca/track-reperage/en#/details/{number}' },
] as const satisfies { name: string; trackingUrl: `https://${string}{number}` }[];

/** Returns the URL of the parcel's tracking page; null for an unknown carrier or without a tracking number. */
export function trackingUrlOf(carrier: string | null, trackingNumber: string | null): string | null {
  const known = carriers.find(({ name }) => name.toLowerCase() === carrier?.toLowerCase());
  if (!known || !trackingNumber) return null;
  return known.trackingUrl.replace('{number}', encodeURIComponent(trackingNumber));
}
