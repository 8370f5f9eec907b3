import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { sortOptions } from '../../../shared/catalog-choices.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { effectivePrice } from '../../../shared/pricing.ts';
import type { NewProduct } from '../../platform/database/tables.ts';
import { priceTermsOfRow } from './offers.ts';

const shop = await openTestShop();

const list = async (query: string) => {
  const { body } = await createShopper(shop.url).get(`/api/digital-products?${query}`);
  return body as unknown as {
    data: { _id: string; name: string; effectivePrice: number }[];
    nextCursor: string | null;
    total: number | null;
    hasUncounted: boolean;
  };
};

it('pages through every product exactly once in each sort', async () => {
  const ids = [];
  for (const price_cents of [500, 500, 300, 900, 700]) {
    ids.push((await makeProduct(shop.deps, { category: 'Courses', price_cents, featured: price_cents > 600 })).id);
  }
  for (const sort of sortOptions) {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(`category=Courses&sort=${sort}&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map((product) => product._id));
      cursor = page.nextCursor ?? '';
    } while (cursor);
    expect([sort, [...seen].sort()]).toEqual([sort, [...ids].sort()]);
  }
});

it('lists featured products first by default, and sorts by date or by the units sold', async () => {
  const hoursAgo = (hours: number) => new Date(shop.deps.clock.now().getTime() - hours * HOUR_MS);
  const make = (name: string, hours: number, more: { featured?: boolean; sold_count?: number } = {}) =>
    makeProduct(shop.deps, { category: 'eBooks', name, created_at: hoursAgo(hours), ...more });
  await make('Newest', 1, { sold_count: 2 });
  await make('Featured before', 4, { featured: true });
  await make('Featured since', 3, { featured: true, sold_count: 1 });
  await make('Older', 2, { sold_count: 3 });
  const names = async (sort: string) => (await list(`category=eBooks${sort}`)).data.map(({ name }) => name);
  expect(await names('')).toEqual(['Featured since', 'Featured before', 'Newest', 'Older']);
  expect(await names('&sort=featured')).toEqual(await names(''));
  expect(await names('&sort=newest')).toEqual(['Newest', 'Older', 'Featured since', 'Featured before']);
  expect(await names('&sort=popular')).toEqual(['Older', 'Newest', 'Featured since', 'Featured before']);
});

it('answers an unknown category with an empty list, and an empty category or sort with all products', async () => {
  const { status, body } = await createShopper(shop.url).get('/api/digital-products?category=Nonsense');
  expect({ status, body }).toMatchObject({ status: 200, body: { data: [], nextCursor: null, total: 0 } });

  const { id } = await makeProduct(shop.deps, { featured: true });
  const { data } = await list('category=&sort=');
  expect(data.map((product) => product._id)).toContain(id);
});

it('gives on the first page the total of all matches', async () => {
  for (const name of ['Counted Once', 'Counted Twice', 'Counted Thrice', 'Left Out']) {
    await makeProduct(shop.deps, { category: 'Spotify', name });
  }
  await makeProduct(shop.deps, { category: 'Spotify', name: 'Counted Never', is_active: false });
  const first = await list('category=Spotify&q=counted&limit=2');
  expect(first).toMatchObject({ total: 3, hasUncounted: false });
  expect(await list(`category=Spotify&q=counted&limit=2&cursor=${first.nextCursor}`)).toMatchObject({
    total: null,
    nextCursor: null,
  });
  expect(await list('category=Spotify')).toMatchObject({ total: 4, nextCursor: null });
});

it('sorts by the effective price', async () => {
  await makeProduct(shop.deps, { category: 'VPN', price_cents: 900, discount_type: 'fixed', discount_cents: 800 });
  await makeProduct(shop.deps, { category: 'VPN', price_cents: 500 });
  expect((await list('category=VPN&sort=price_asc')).data.map((product) => product.effectivePrice)).toEqual([1, 5]);
});

it('shows no inactive product, and counts only available items as stock', async () => {
  const hidden = await makeProduct(shop.deps, { is_active: false });
  expect((await list(`ids=${hidden.id}`)).data).toEqual([]);
  expect(await createShopper(shop.url).get(`/api/digital-products/${hidden.id}`)).toMatchObject({ status: 404 });

  const product = await makeProduct(shop.deps, { items: 2 });
  await createShopper(shop.url).openPayment([{ product, quantity: 1 }], { email: 'holds-one@example.com' });
  const shown = await createShopper(shop.url).get(`/api/digital-products/${product.id}`);
  expect(shown.body.data).toMatchObject({ stock: 1 });
});

it('returns only the public fields of a product', async () => {
  const product = await makeProduct(shop.deps);
  const { body } = await createShopper(shop.url).get(`/api/digital-products/${product.id}`);
  expect(Object.keys(body.data ?? {}).sort()).toEqual(
    [
      '_id kind name description category image images price effectivePrice discount flashSale stock reserved',
      'maxPerGuest featured isActive rating numReviews delivery region platform buyerFields download deliveryInstructions warranty createdAt',
    ]
      .join(' ')
      .split(' ')
      .sort(),
  );
  expect(JSON.stringify(body)).not.toContain(product.keys[0]);
});

it('finds a name by any part of it, with wildcards taken literally', async () => {
  await makeProduct(shop.deps, { name: '100% Orange_Juice' });
  expect((await list('q=0%25%20orange_j')).data).toHaveLength(1);
  expect((await list('q=1%25%20Orange')).data).toHaveLength(0);
  const { name } = await makeProduct(shop.deps, { name: `${'A long name '.repeat(16)}1 of 2` });
  expect((await list(`q=${encodeURIComponent(name)}`)).data).toHaveLength(1);
});

// The SQL function is used only to sort. If it disagreed with the pricing rule, shoppers would see a wrong sequence.
it('computes the same price in SQL as the shared rule', async () => {
  const now = shop.deps.clock.now();
  const moment = fc.option(fc.integer({ min: -2, max: 2 }).map((hours) => new Date(now.getTime() + hours * 3_600_000)));
  const period = fc.tuple(moment, moment).map(([a, b]) => (a && b && a >= b ? [null, b] : [a, b]));
  const terms = fc.record({
    price_cents: fc.integer({ min: 1, max: 100_000 }),
    discount_type: fc.constantFrom('percentage' as const, 'fixed' as const, null),
    discount_basis_points: fc.integer({ min: 0, max: 10_000 }),
    discount_cents: fc.integer({ min: 0, max: 100_000 }),
    flash_price_cents: fc.option(fc.integer({ min: 0, max: 100_000 })),
    flash_units_limit: fc.option(fc.integer({ min: 0, max: 2 })),
    discount: period,
    flash: period,
  });
  const { id } = await makeProduct(shop.deps, { items: 0 });
  await fc.assert(
    fc.asyncProperty(terms, async ({ discount, flash, ...columns }) => {
      const row = await shop.deps.db
        .updateTable('products')
        .set({
          ...(columns as Partial<NewProduct>),
          discount_starts_at: discount[0] ?? null,
          discount_ends_at: discount[1] ?? null,
          flash_starts_at: flash[0] ?? null,
          flash_ends_at: flash[1] ?? null,
        })
        .where('id', '=', id)
        .returningAll()
        .returning(sql<number>`effective_price_cents(products, ${now})`.as('sql_price_cents'))
        .executeTakeFirstOrThrow();
      expect(row.sql_price_cents).toBe(effectivePrice(priceTermsOfRow(row), 1, now).unitPriceCents);
    }),
    { numRuns: 300 },
  );
});
