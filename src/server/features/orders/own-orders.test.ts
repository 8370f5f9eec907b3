import { expect, it } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop({ settings: { RATE_LIMITS: 'on' } });

it('a buyer searches only their own orders, by number and product name, page by page', async () => {
  const first = await buyAsGuest(shop, { quantity: 1, name: 'Night_Train 50%' });
  const { buyer } = first;
  const other = await makeProduct(shop.deps, { items: 4, name: 'NightXTrain 500' });
  const { orderId: second } = await buyer.buy([{ product: other, quantity: 1 }]);
  const { orderId: third } = await buyer.buy([
    { product: other, quantity: 1 },
    { product: await makeProduct(shop.deps, { items: 1, name: 'Ember Reach' }), quantity: 1 },
  ]);
  await buyAsGuest(shop, { quantity: 1, name: 'Night_Train 50%' });
  const page = async (query: Record<string, string>, path = 'digital-orders') => {
    const { body } = await buyer.get(`/api/${path}/myorders?${new URLSearchParams(query)}`);
    return body as unknown as { data: { _id: string }[]; nextCursor: string | null };
  };
  const find = async (q: string) => (await page({ q })).data.map(({ _id }) => _id);

  expect(await find('night_train')).toEqual([first.orderId]);
  expect(await find('50%')).toEqual([first.orderId]);
  expect(await find('NIGHT')).toEqual([third, second, first.orderId]);
  expect(await find('ember')).toEqual([third]);
  const number = second.slice(-8);
  for (const q of [number, `#${number.toUpperCase()}`, number.slice(1)])
    expect([q, await find(q)]).toEqual([q, [second]]);
  expect(await find('Night Train')).toEqual([]);
  expect((await page({ q: 'night' }, 'orders')).data).toEqual([]);

  const { data, nextCursor } = await page({ q: 'nightx', limit: '1' });
  expect(data.map(({ _id }) => _id)).toEqual([third]);
  const rest = await page({ q: 'nightx', limit: '1', cursor: nextCursor ?? '' });
  expect([rest.data.map(({ _id }) => _id), rest.nextCursor]).toEqual([[second], null]);
});

it('a buyer can read orders of 10,000 units a day, because each read of an item is kept for ever', async () => {
  const { orderId, buyer, guest } = await buyAsGuest(shop, { quantity: 2 });
  const { db, limits } = shop.deps;
  const { id: user } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', guest.email)
    .executeTakeFirstOrThrow();
  const read = async () => (await buyer.get(`/api/digital-orders/${orderId}/items`)).status;
  await limits.count('revealed-units', { user }, 9_998);
  expect([await read(), await read()]).toEqual([200, 429]);
  const reveals = await db.selectFrom('reveals').select('at').where('order_id', '=', orderId).execute();
  expect(reveals).toHaveLength(2);
});
