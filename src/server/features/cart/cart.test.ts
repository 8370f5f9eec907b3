import { beforeEach, describe, expect, it } from 'vitest';
import { makePhysicalProduct, makeProduct } from '../../../../test/factories.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { CartEntry } from '../../../shared/cart.ts';
import { MAX_CART_LINES, MAX_UNITS_PER_LINE } from '../../../shared/cart-rules.ts';

let customer: Shopper;
const shop = await openTestShop();
beforeEach(async () => {
  customer = await signedIn(shop);
});

const add = (productId: string, quantity?: number) => customer.post('/api/users/cart', { productId, quantity });
const set = (productId: string, quantity: unknown) =>
  customer.send('PUT', `/api/users/cart/${productId}`, { quantity });

/** Product ids and quantities, as a shopper reads them from the server. */
async function cartOf(shopper = customer): Promise<[string, number][]> {
  const { body } = await shopper.get('/api/users/cart');
  return (body.data as unknown as CartEntry[]).map(({ _id, quantity }) => [_id, quantity]);
}

const setActive = (id: string, isActive: boolean) =>
  shop.deps.db.updateTable('products').set({ is_active: isActive }).where('id', '=', id).execute();

describe('a cart on the server', () => {
  it('holds digital and physical products, each with its stock', async () => {
    const [game, mouse] = [await makeProduct(shop.deps), await makePhysicalProduct(shop.deps, { stock: 2 })];
    await add(game.id);
    expect((await add(mouse, 2)).body.data).toMatchObject([
      { _id: game.id, product: { kind: 'digital', stock: 1 } },
      { _id: mouse, quantity: 2, product: { kind: 'physical', brand: 'Kayu', stock: 2 } },
    ]);
    expect((await set(mouse, 3)).body).toMatchObject({ code: 'OUT_OF_STOCK', message: 'Only 2 items available' });
  });

  it('starts empty, and is the same on every device of one customer', async () => {
    expect(await cartOf()).toEqual([]);
    const product = await makeProduct(shop.deps);
    await add(product.id);
    const other = await signedIn(shop);
    expect(await cartOf(other)).toEqual([]);
    expect(await cartOf()).toEqual([[product.id, 1]]);
  });

  it('returns the whole cart after each change, with current products in the order they were added', async () => {
    const [first, second] = [await makeProduct(shop.deps, { items: 3 }), await makeProduct(shop.deps)];
    await add(first.id);
    const added = await add(second.id);
    expect(added).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: [
          { _id: first.id, quantity: 1, product: { _id: first.id, price: 10, stock: 3, isActive: true } },
          { _id: second.id, quantity: 1, product: { stock: 1 } },
        ],
      },
    });
    expect((await set(first.id, 3)).body.data).toMatchObject([{ quantity: 3 }, { quantity: 1 }]);
    const removed = await customer.send('DELETE', `/api/users/cart/${first.id}`);
    expect(removed.body.data).toMatchObject([{ _id: second.id }]);
    expect((await customer.send('DELETE', '/api/users/cart')).body.data).toEqual([]);
    expect(await cartOf()).toEqual([]);
  });

  it('adds a quantity to the existing one, by default one unit', async () => {
    const { id } = await makeProduct(shop.deps, { items: 5 });
    await add(id, 2);
    await add(id);
    expect(await cartOf()).toEqual([[id, 3]]);
  });

  it('adds a missing product when its quantity is set', async () => {
    const { id } = await makeProduct(shop.deps, { items: 4 });
    await set(id, 4);
    expect(await cartOf()).toEqual([[id, 4]]);
  });

  it('loses no unit when many devices add concurrently', async () => {
    const [one, two] = [await makeProduct(shop.deps, { items: 30 }), await makeProduct(shop.deps, { items: 30 })];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => add((n % 2 ? one : two).id, 2)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(Object.fromEntries(await cartOf())).toEqual({ [one.id]: 20, [two.id]: 20 });
  });
});

describe('stock', () => {
  it('limits the quantity, alone or with the units in the cart, with the specified message', async () => {
    const { id } = await makeProduct(shop.deps, { items: 3 });
    const tooMany = { status: 409, body: { code: 'OUT_OF_STOCK', message: 'Not enough stock available' } };
    const only = { status: 409, body: { code: 'OUT_OF_STOCK', message: 'Only 3 items available' } };
    expect(await add(id, 4)).toMatchObject(tooMany);
    expect(await set(id, 4)).toMatchObject(only);
    expect(await cartOf()).toEqual([]);
    await add(id, 2);
    expect(await add(id, 2)).toMatchObject(only);
    expect(await set(id, 4)).toMatchObject(only);
    expect(await cartOf()).toEqual([[id, 2]]);
  });

  it('is not exceeded by devices that add concurrently', async () => {
    const { id } = await makeProduct(shop.deps, { items: 5 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await cartOf()).toEqual([[id, 5]]);
  });

  it('below the quantity in the cart still allows a lower quantity', async () => {
    const { id } = await makeProduct(shop.deps, { items: 5 });
    await set(id, 5);
    await shop.deps.db.updateTable('items').set({ state: 'quarantined' }).where('product_id', '=', id).execute();
    expect((await set(id, 4)).status).toBe(200);
    expect((await set(id, 5)).body.message).toBe('Only 0 items available');
    expect(await cartOf()).toEqual([[id, 4]]);
  });
});

describe('limits', () => {
  it(`a line holds up to ${MAX_UNITS_PER_LINE} units`, async () => {
    const { id } = await makeProduct(shop.deps, { items: MAX_UNITS_PER_LINE + 2 });
    expect((await add(id, MAX_UNITS_PER_LINE)).status).toBe(200);
    expect((await add(id)).body.message).toBe('An order can have up to 100 of each product');
    expect((await set(id, MAX_UNITS_PER_LINE + 1)).status).toBe(400);
  });

  it(`a cart holds up to ${MAX_CART_LINES} products, even if they are added concurrently`, async () => {
    const products = await Promise.all(
      Array.from({ length: MAX_CART_LINES + 3 }, () => makeProduct(shop.deps, { items: 2 })),
    );
    const answers = await Promise.all(products.map(({ id }) => add(id)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(3);
    expect(refused[0]?.body.message).toBe('A cart holds up to 50 different products');
    const cart = await cartOf();
    expect(cart).toHaveLength(MAX_CART_LINES);
    expect((await add(cart[0]?.[0] ?? '')).status).toBe(200);
  });

  it.each([0, -1, 0.5, 1e9, '1', Number.NaN, [1], null])('a quantity of %j is refused', async (quantity) => {
    const { id } = await makeProduct(shop.deps);
    expect((await customer.post('/api/users/cart', { productId: id, quantity })).status).toBe(400);
    expect((await set(id, quantity)).status).toBe(400);
    expect(await cartOf()).toEqual([]);
  });
});

describe('a product that is not on sale', () => {
  it('cannot be added, whether it is inactive or missing', async () => {
    const { id } = await makeProduct(shop.deps, { is_active: false });
    for (const productId of [id, '0198c0de-0000-7000-8000-000000000001']) {
      const missing = { status: 404, body: { message: 'Product not found' } };
      expect(await add(productId)).toMatchObject(missing);
      expect(await set(productId, 1)).toMatchObject(missing);
    }
    expect(await cartOf()).toEqual([]);
  });

  it('disappears from the cart, and returns when it is on sale again', async () => {
    const [gone, kept] = [await makeProduct(shop.deps), await makeProduct(shop.deps)];
    await add(gone.id);
    await add(kept.id);
    await setActive(gone.id, false);
    expect(await cartOf()).toEqual([[kept.id, 1]]);
    await setActive(gone.id, true);
    expect(await cartOf()).toEqual([
      [gone.id, 1],
      [kept.id, 1],
    ]);
  });
});

it('a visitor who is not signed in gets 401 for the cart', async () => {
  const visitor = createShopper(shop.url);
  expect((await visitor.get('/api/users/cart')).status).toBe(401);
  expect((await visitor.send('DELETE', '/api/users/cart')).status).toBe(401);
});
