import { expect, it } from 'vitest';
import { makeParcel, makePhysicalProduct, makeProduct } from '../../../../test/factories.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { PhysicalProduct } from '../../../shared/catalog.ts';
import { sortOptions } from '../../../shared/catalog-choices.ts';
import { refreshSoldCounts } from './catalog.queries.ts';

const shop = await openTestShop();

const read = async (path: string) => (await createShopper(shop.url).get(`/api/products${path}`)).body;
const list = async (query: string) =>
  (await read(`?${query}`)) as unknown as { data: PhysicalProduct[]; nextCursor: string | null; total: number | null };
const make = (overrides: Parameters<typeof makePhysicalProduct>[1]) => makePhysicalProduct(shop.deps, overrides);
const idsOf = (page: { data: PhysicalProduct[] }) => page.data.map(({ _id }) => _id);

it('shows active physical products with brand, rating and stock', async () => {
  const id = await make({ stock: 12, rating_tenths: 43, review_count: 9, category: 'Shown' });
  await make({ is_active: false, category: 'Shown' });
  await makeProduct(shop.deps);
  const { data, total } = await list('category=Shown');
  expect(total).toBe(1);
  expect(data).toMatchObject([
    {
      ...{ _id: id, kind: 'physical', name: 'Wooden Mouse', brand: 'Kayu', price: 20, effectivePrice: 20 },
      ...{ stock: 12, reserved: false, rating: 4.3, numReviews: 9, image: '/favicon.svg', images: ['/favicon.svg'] },
    },
  ]);
  expect((await read(`/${id}`)).data).toEqual(data[0]);
});

it('hides fields that are not for shoppers', async () => {
  const { data } = await read(`/${await make({})}`);
  for (const hidden of ['version', 'deletedAt', 'sold_count']) expect(Object.keys(data ?? {})).not.toContain(hidden);
});

it('answers 404 for an inactive, a digital and a missing product', async () => {
  const inactive = await make({ is_active: false });
  const { id: digital } = await makeProduct(shop.deps);
  for (const id of [inactive, digital, '00000000-0000-4000-8000-000000000000'])
    expect(await createShopper(shop.url).get(`/api/products/${id}`)).toMatchObject({ status: 404 });
});

it('pages through every product exactly once in each sort, and finds a part of a name', async () => {
  const ids = await Promise.all(
    [500, 500, 300].map((price_cents, place) => make({ category: 'Sorted', price_cents, name: `Sorted ${place}` })),
  );
  for (const sort of sortOptions) {
    const first = await list(`category=Sorted&sort=${sort}&limit=2`);
    const second = await list(`category=Sorted&sort=${sort}&limit=2&cursor=${first.nextCursor}`);
    expect([sort, [...idsOf(first), ...idsOf(second)].sort()]).toEqual([sort, [...ids].sort()]);
  }
  expect(idsOf(await list('category=Sorted&q=oRTED 2'))).toEqual([ids[2]]);
});

it('sorts by the effective price, with discount and flash sale', async () => {
  const offers = [
    { price_cents: 900, discount_type: 'fixed' as const, discount_cents: 800 },
    { price_cents: 700, flash_price_cents: 200, flash_units_limit: 3 },
    { price_cents: 500 },
  ];
  for (const offer of offers) await make({ category: 'Offered', ...offer });
  const { data } = await list('category=Offered&sort=price_asc');
  expect(data.map(({ effectivePrice }) => effectivePrice)).toEqual([1, 2, 5]);
  expect(data[1]?.flashSale).toMatchObject({ active: true, limitedStock: 3, unitsLeft: 3 });
});

it('sorts by the units sold and not returned', async () => {
  const parcels = ['sold twice', 'sold once', 'given back'];
  const orders = await Promise.all(parcels.map((name) => makeParcel(shop.deps, {}, name)));
  const change = (order: string | undefined, units: object) =>
    shop.deps.db.updateTable('order_lines').set(units).where('order_id', '=', String(order)).execute();
  await change(orders[0], { quantity: 2, counted_units: 2 });
  await change(orders[2], { counted_state: 'released', counted_units: 0 });
  await refreshSoldCounts(shop.deps.db);
  const { data } = await list('sort=popular');
  expect(data.slice(0, 2).map(({ name }) => name)).toEqual(['sold twice', 'sold once']);
  const sold = await shop.deps.db.selectFrom('products').select('sold_count').where('name', 'in', parcels).execute();
  expect(sold.map((row) => row.sold_count).sort()).toEqual([0, 1, 2]);
});

it('marks a product as reserved when its last unit is in an unpaid order', async () => {
  const id = await make({ stock: 1 });
  const buyer = createShopper(shop.url);
  const shippingAddress = { street: '1 Jalan', city: 'Ipoh', state: 'Perak', zipCode: '30000', country: 'Malaysia' };
  const opened = await buyer.post('/api/orders/guest/create-payment-intent', {
    ...{ orderItems: [{ product: id, name: 'Wooden Mouse', quantity: 1, price: 20 }], shippingAddress },
    ...{ guestEmail: 'holds@example.com', guestName: 'Who Holds' },
  });
  expect(opened.status).toBe(200);
  expect((await read(`/${id}`)).data).toMatchObject({ stock: 0, reserved: true });
});

it('counts the stock of each category over active physical products', async () => {
  await make({ category: 'Counted', stock: 4 });
  await make({ category: 'Counted', stock: 3 });
  await make({ category: 'Counted', stock: 9, is_active: false });
  const { data } = await read('/categories/list');
  expect(data).toContainEqual({ name: 'Counted', totalStock: 7 });
  const digital = await createShopper(shop.url).get('/api/digital-products/categories/list');
  expect(digital.body.data).not.toContainEqual(expect.objectContaining({ name: 'Counted' }));
});
