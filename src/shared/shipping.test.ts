import { describe, expect, it } from 'vitest';
import { type ShippingZone, shippingCentsOf, zoneOf } from './shipping.ts';

const zone: ShippingZone = {
  name: 'Home',
  countries: ['MY'],
  by: 'weight',
  rates: [
    { upTo: 1_000, price: 5 },
    { upTo: 3_000, price: 8.5 },
  ],
  freeAbove: 100,
};
const mug = { quantity: 1, unitPriceCents: 1_250, weightGrams: 400 };

describe('shipping costs', () => {
  it.each([
    ['the rate that the weight just reaches', zone, [{ ...mug, weightGrams: 1_000 }], 500],
    ['the next rate above it', zone, [{ ...mug, weightGrams: 1_001 }], 850],
    ['one price for the whole order', zone, [{ ...mug, quantity: 2 }, mug], 850],
    ['the same as 1 kg for a unit that nobody has weighed', zone, [{ ...mug, weightGrams: null, quantity: 2 }], 850],
    ['nothing from the worth on that is free', zone, [{ ...mug, unitPriceCents: 10_000 }], 0],
    ['the usual a cent below it', zone, [{ ...mug, unitPriceCents: 9_999 }], 500],
    ['nothing even for what would be too heavy', zone, [{ ...mug, quantity: 8 }], 0],
    ['undefined for what is too heavy', zone, [{ ...mug, weightGrams: 3_001 }], undefined],
    [
      'by the worth where the zone says so',
      { ...zone, by: 'subtotal' as const, rates: [{ upTo: 12.5, price: 3 }, { price: 1 }] },
      [mug],
      300,
    ],
    ['the open rate above all others', { ...zone, rates: [{ upTo: 1, price: 3 }, { price: 9 }] }, [mug], 900],
  ])('%s', (_what, of, lines, cents) => {
    expect(shippingCentsOf(of, lines)).toBe(cents);
  });

  it('are those of the zone that lists the country, else of the zone for all others, else unknown', () => {
    const rest = { ...zone, name: 'Rest', countries: ['*'] };
    expect(zoneOf([rest, zone], 'MY')).toBe(zone);
    expect(zoneOf([rest, zone], 'SG')).toBe(rest);
    expect(zoneOf([zone], 'SG')).toBeUndefined();
  });
});
