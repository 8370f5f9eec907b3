import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Discount,
  effectivePrice,
  type FlashSale,
  type PriceTerms,
  proportionOfCents,
  refundCents,
  sameTotal,
  taxOn,
  toCents,
  toDollars,
  totalsOf,
} from './pricing.ts';

const CARTS = 100_000;
const now = new Date('2026-03-01T12:00:00Z');
const anHour = 3_600_000;

/** `now`, times around it, and null for an open bound. */
const moment = fc.constantFrom(-anHour, -1, 0, 1, anHour, null).map((offset) => (offset === null ? null : at(offset)));
const priceCents = fc.integer({ min: 1, max: 2_000_000 });
const period = { startsAt: moment, endsAt: moment };

const discount: fc.Arbitrary<Discount> = fc.oneof(
  fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.integer({ min: 0, max: 10_000 }), ...period }),
  fc.record({ type: fc.constant('fixed' as const), amountCents: fc.integer({ min: 0, max: 3_000_000 }), ...period }),
);
const flashSale: fc.Arbitrary<FlashSale> = fc.record({
  priceCents: fc.integer({ min: 0, max: 2_000_000 }),
  unitsLeft: fc.option(fc.integer({ min: 0, max: 100 })),
  ...period,
});
const quantity = fc.integer({ min: 1, max: 100 });
const line = fc.record({
  terms: fc.record({ priceCents, discount: fc.option(discount), flashSale: fc.option(flashSale) }),
  quantity,
});
const cart = fc.array(line, { minLength: 1, maxLength: 5 });

function at(offsetMs: number): Date {
  return new Date(now.getTime() + offsetMs);
}

function running({ startsAt, endsAt }: { startsAt: Date | null; endsAt: Date | null }): boolean {
  return (startsAt?.getTime() ?? -Infinity) <= now.getTime() && now.getTime() < (endsAt?.getTime() ?? Infinity);
}

/** Returns `numerator / denominator`, rounded half up, without floating point. */
function halfUp(numerator: bigint, denominator: bigint): bigint {
  const whole = numerator / denominator;
  return 2n * (numerator % denominator) >= denominator ? whole + 1n : whole;
}

/** A second implementation of the pricing rule, without floating point. */
function expectedUnitPrice({ priceCents: regular, discount: offer, flashSale: flash }: PriceTerms, units: number) {
  const atLeastACent = (cents: bigint) => (cents < 1n ? 1n : cents);
  if (flash && running(flash) && (flash.unitsLeft ?? Infinity) >= units) return atLeastACent(BigInt(flash.priceCents));
  if (!offer || !running(offer)) return BigInt(regular);
  const off =
    offer.type === 'fixed' ? BigInt(offer.amountCents) : halfUp(BigInt(regular) * BigInt(offer.basisPoints), 10_000n);
  return atLeastACent(BigInt(regular) - off);
}

test(`in ${CARTS.toLocaleString('en-US')} random carts each price follows the rule and each total is the sum of its parts`, {
  // No limit: it could not end this loop, only fail it afterwards, on a busy machine.
  timeout: 0,
}, () => {
  fc.assert(
    fc.property(cart, fc.nat({ max: 10_000 }), (entries, shippingCents) => {
      const lines = entries.map(({ terms, quantity: units }) => ({
        quantity: units,
        unitPriceCents: effectivePrice(terms, units, now).unitPriceCents,
      }));
      const unitPrices = entries.map(({ terms, quantity: units }) => expectedUnitPrice(terms, units));
      const items = unitPrices.reduce((sum, price, index) => sum + price * BigInt(lines[index]?.quantity ?? 0), 0n);
      const tax = halfUp(items * 6n, 100n);

      expect(lines.map((entry) => BigInt(entry.unitPriceCents))).toEqual(unitPrices);
      const totals = totalsOf(lines, shippingCents);
      expect([totals.itemsCents, totals.taxCents, totals.totalCents].map(BigInt)).toEqual([
        items,
        tax,
        items + tax + BigInt(shippingCents),
      ]);
      expect(Math.min(...lines.map((entry) => entry.unitPriceCents))).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: CARTS },
  );
});

describe('tax', () => {
  test.each([
    [0, 0],
    [1, 0],
    [8, 0], // 0.48 of a cent
    [9, 1], // 0.54
    [25, 2], // 1.5, the half goes up
    [75, 5], // 4.5
    [100, 6],
    [1_999, 120], // 119.94
    [5_000_000_000, 300_000_000],
  ])('on %i cents is %i', (itemsCents, taxCents) => {
    expect(taxOn(itemsCents)).toBe(taxCents);
  });

  test('is computed on the subtotal, not on each line', () => {
    const halfCentLine = { unitPriceCents: 25, quantity: 1 };
    const totals = totalsOf([halfCentLine, halfCentLine]);
    expect(totals).toMatchObject({ itemsCents: 50, taxCents: 3, shippingCents: 0, totalCents: 53 });
  });
});

describe('a discount', () => {
  const offer = (terms: Partial<Extract<Discount, { type: 'percentage' }>>): Discount => ({
    type: 'percentage',
    basisPoints: 2_500,
    startsAt: null,
    endsAt: null,
    ...terms,
  });
  const priced = (regularCents: number, terms: Discount) =>
    effectivePrice({ priceCents: regularCents, discount: terms, flashSale: null }, 1, now);

  test('reduces the price by its percentage, with half a cent rounded in favor of the shopper', () => {
    expect(priced(1_999, offer({})).unitPriceCents).toBe(1_499); // 499.75 off
    expect(priced(10, offer({})).unitPriceCents).toBe(7); // 2.5 off becomes 3
  });

  test('runs from its start up to, but not including, its end', () => {
    expect(priced(1_000, offer({ startsAt: at(0), endsAt: at(1) })).source).toBe('discount');
    expect(priced(1_000, offer({ startsAt: at(1) }))).toEqual({ unitPriceCents: 1_000, source: 'regular' });
    expect(priced(1_000, offer({ endsAt: at(0) }))).toEqual({ unitPriceCents: 1_000, source: 'regular' });
  });

  test('of the whole price or more leaves one cent', () => {
    expect(priced(1_000, offer({ basisPoints: 10_000 })).unitPriceCents).toBe(1);
    const fixed: Discount = { type: 'fixed', amountCents: 1_000, startsAt: null, endsAt: null };
    expect(priced(1_000, fixed).unitPriceCents).toBe(1);
    expect(priced(999, fixed).unitPriceCents).toBe(1);
    expect(priced(1_500, fixed).unitPriceCents).toBe(500);
  });
});

describe('a flash sale', () => {
  const sale = { priceCents: 300, startsAt: at(-1), endsAt: at(1), unitsLeft: 5 };
  const half: Discount = { type: 'percentage', basisPoints: 5_000, startsAt: null, endsAt: null };
  const priced = (flash: FlashSale, units: number, moment: Date = now) =>
    effectivePrice({ priceCents: 1_000, discount: half, flashSale: flash }, units, moment);

  test('takes precedence over the discount while it runs and has enough units left', () => {
    expect(priced(sale, 5)).toEqual({ unitPriceCents: 300, source: 'flash-sale' });
    expect(priced({ ...sale, unitsLeft: null }, 100).source).toBe('flash-sale');
  });

  test('is replaced by the discount for more units than it has left, and when it is sold out', () => {
    expect(priced(sale, 6)).toEqual({ unitPriceCents: 500, source: 'discount' });
    expect(priced({ ...sale, unitsLeft: 0 }, 1).source).toBe('discount');
  });

  test('is replaced by the discount before its start and from its end on', () => {
    expect(priced(sale, 1, at(-2)).source).toBe('discount');
    expect(priced(sale, 1, at(-1)).source).toBe('flash-sale');
    expect(priced(sale, 1, at(1)).source).toBe('discount');
  });

  test('with a price of zero costs one cent', () => {
    expect(priced({ ...sale, priceCents: 0 }, 1).unitPriceCents).toBe(1);
  });
});

describe('amounts', () => {
  const cents = fc.nat({ max: 2 ** 31 - 1 });

  test('are unchanged after a conversion to dollars, through JSON and back', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        expect(toCents(JSON.parse(JSON.stringify(toDollars(amount))))).toBe(amount);
      }),
      { numRuns: 10_000 },
    );
  });

  test('count as equal if they differ by one cent, but not by two', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        expect(sameTotal(toDollars(amount), toDollars(amount + 1))).toBe(true);
        expect(sameTotal(toDollars(amount + 1), toDollars(amount))).toBe(true);
        expect(sameTotal(toDollars(amount), toDollars(amount + 2))).toBe(false);
      }),
      { numRuns: 10_000 },
    );
  });

  test('are multiplied without floating-point errors, even far above any order', () => {
    const factors = fc.tuple(fc.nat({ max: 100_000_000_000 }), fc.nat({ max: 15_000 }), fc.constantFrom(100, 10_000));
    fc.assert(
      fc.property(factors, ([amount, numerator, denominator]) => {
        const exact = halfUp(BigInt(amount) * BigInt(numerator), BigInt(denominator));
        expect(BigInt(proportionOfCents(amount, numerator, denominator))).toBe(exact);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('refunds of units', () => {
  const order = fc.record({
    lines: fc.array(fc.record({ unitPriceCents: priceCents, quantity: fc.integer({ min: 1, max: 5 }) }), {
      minLength: 1,
      maxLength: 6,
    }),
    shippingCents: fc.nat({ max: 5_000 }),
    /** Which of the remaining units is refunded next, and whether the same refund includes more. */
    lots: fc.infiniteStream(fc.record({ lot: fc.nat(), more: fc.boolean() })),
  });

  test('add up to the total in any sequence and portions, each at least the price of its units', () => {
    fc.assert(
      fc.property(order, ({ lines, shippingCents, lots }) => {
        const totals = totalsOf(lines, shippingCents);
        const state = lines.map((line) => ({ ...line, refundedQuantity: 0, units: 0 }));
        const isLeft = (line: (typeof state)[number]) => line.refundedQuantity + line.units < line.quantity;
        let refunded = 0;
        while (state.some((line) => line.refundedQuantity < line.quantity)) {
          let more = true;
          while (more && state.some(isLeft)) {
            const { value } = lots.next();
            const left = state.filter(isLeft);
            const line = left[(value?.lot ?? 0) % left.length];
            if (line) line.units += 1;
            more = value?.more ?? false;
          }
          const cents = refundCents(totals, state);
          const price = state.reduce((sum, line) => sum + line.unitPriceCents * line.units, 0);
          expect(cents).toBeGreaterThanOrEqual(price);
          refunded += cents;
          expect(refunded).toBeLessThanOrEqual(totals.totalCents);
          for (const line of state) {
            line.refundedQuantity += line.units;
            line.units = 0;
          }
        }
        expect(refunded).toBe(totals.totalCents);
      }),
      { numRuns: 5_000 },
    );
  });

  test('split the tax of three equal units to the cent, and the last one includes the remainder', () => {
    const totals = totalsOf([{ unitPriceCents: 333, quantity: 3 }], 590);
    const one = (refundedQuantity: number) =>
      refundCents(totals, [{ unitPriceCents: 333, quantity: 3, refundedQuantity, units: 1 }]);
    expect([totals.totalCents, one(0), one(1), one(2)]).toEqual([1649, 353, 353, 943]);
  });
});
