import { beforeEach, expect, it } from 'vitest';
import { makeGoods, makeProduct, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { AdminDigitalProduct } from '../../../shared/products.ts';
import { cancelOrder } from '../checkout/settle-order.ts';

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin', email: 'boss@example.com' });
beforeEach(() => shop.deps.db.updateTable('products').set({ is_active: false }).execute());

const input = {
  name: 'Night Train',
  description: 'A game about a train',
  price: 12.5,
  category: 'Steam Keys',
  image: 'https://images.example.com/train.png',
};
const create = (body: object = input) => admin.post('/api/digital-products', body);
const edit = (id: string, body: object) => admin.send('PUT', `/api/digital-products/${id}`, body);
const remove = (id: string) => admin.send('DELETE', `/api/digital-products/${id}`);
const read = async (id: string) =>
  (await admin.get(`/api/admin/digital-products/${id}`)).body.data as unknown as AdminDigitalProduct;
const list = async (query: string) =>
  (await admin.get(`/api/admin/digital-products?${query}`)).body as unknown as {
    data: AdminDigitalProduct[];
    nextCursor: string | null;
    total: number;
    counts: { active: number; inactive: number };
  };
const newId = async (body: object = input) => String((await create(body)).body.data?.['_id']);
const fromNow = (hours: number) => new Date(shop.deps.clock.now().getTime() + hours * HOUR_MS).toISOString();
const auditOf = (id: string) =>
  shop.deps.db
    .selectFrom('audit_log')
    .select(['actor', 'action', 'summary'])
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute();
const statesOf = async (id: string) =>
  (await shop.deps.db.selectFrom('items').select('state').where('product_id', '=', id).execute())
    .map(({ state }) => state)
    .sort();
const takeUnits = (id: string, flash_units_taken: number) =>
  shop.deps.db.updateTable('products').set({ flash_units_taken }).where('id', '=', id).execute();

it('puts a new product on sale with its price in cents, and records it in the audit log', async () => {
  const { status, body } = await create({ ...input, featured: true, warranty: 30 });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    ...input,
    effectivePrice: 12.5,
    featured: true,
    warranty: 30,
    isActive: true,
    stock: 0,
    version: 1,
    inventoryStats: { total: 0, available: 0, sold: 0 },
  });
  const id = String(body.data?.['_id']);
  expect(await auditOf(id)).toEqual([
    { actor: 'boss@example.com', action: 'product.created', summary: 'Created "Night Train" for $12.50' },
  ]);
  expect((await createShopper(shop.url).get(`/api/digital-products/${id}`)).status).toBe(200);
});

it('a product is found by its name whether accents are typed as one character or as two', async () => {
  const forms = ['NFC', 'NFD'].map((form) => 'Thẻ quà Pokémon'.normalize(form));
  for (const name of forms) {
    const { body } = await create({ ...input, name });
    expect(body.data).toMatchObject({ name: forms[0] });
    for (const q of forms)
      expect((await list(`q=${encodeURIComponent(q)}&limit=1`)).data[0]?._id).toBe(body.data?.['_id']);
  }
});

it('hides a draft and its stock from shoppers until it is published', async () => {
  const id = await newId({ ...input, isActive: false });
  const key = `KEY-${crypto.randomUUID()}`;
  await admin.post(`/api/digital-products/${id}/inventory`, { items: [key] });
  const shopper = createShopper(shop.url);
  const cart = [{ product: { id, name: input.name, price: input.price }, quantity: 1 }];
  const buyer = { email: 'draft@example.com' };
  expect((await shopper.get(`/api/digital-products/${id}`)).status).toBe(404);
  expect((await shopper.openPayment(cart, buyer)).body.code).toBe('PRODUCT_UNAVAILABLE');
  expect((await edit(id, { isActive: true })).body.data).toMatchObject({ stock: 1, isDraft: false });
  const { orderId } = await shopper.buy(cart, buyer);
  expect(await shopper.readKeys(orderId)).toEqual([key]);
});

it('creates one product from a draft that is sent twice, concurrently or later', async () => {
  const draft = crypto.randomUUID();
  const answers = await Promise.all([create({ ...input, draft }), create({ ...input, draft })]);
  answers.push(await create({ ...input, draft }));
  expect(answers.map(({ status, body }) => [status, body.data?.['_id']])).toEqual(answers.map(() => [201, draft]));
  expect(await auditOf(draft)).toHaveLength(1);
});

it.each([
  [{ name: '  ' }, 'name'],
  [{ name: 'two\nlines' }, 'name'],
  [{ description: '' }, 'description'],
  [{ price: 0 }, 'price'],
  [{ price: -1 }, 'price'],
  [{ price: 9.999 }, 'price'],
  [{ price: 100_000.01 }, 'price'],
  [{ price: '12' }, 'price'],
  [{ category: 'Groceries' }, 'category'],
  [{ image: 'javascript:alert(1)' }, 'image'],
  [{ image: 'http://images.example.com/a.png' }, 'image'],
  [{ image: '//images.example.com/a.png' }, 'image'],
  [{ warranty: 1.5 }, 'warranty'],
])('refuses %j in a create and in an edit', async (wrong, field) => {
  const id = await newId();
  for (const { status, body } of [await create({ ...input, ...wrong }), await edit(id, wrong)]) {
    expect({ status, field: body['field'] }).toEqual({ status: 400, field });
  }
  expect(await read(id)).toMatchObject({ ...input, version: 1 });
});

it('changes only the given fields, and lists the changes in the audit log', async () => {
  const id = await newId();
  const { status, body } = await edit(id, { version: 1, name: 'Night Train II', price: 15, category: 'VPN' });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ ...input, name: 'Night Train II', price: 15, category: 'VPN', version: 2 });
  await edit(id, { version: 2, name: 'Night Train II', discount: { type: 'fixed', value: 1 } });
  await edit(id, { version: 3, discount: { type: 'fixed', value: 1, endDate: '2050-01-01T00:00:00.000Z' } });
  await edit(id, { version: 4, discount: { type: 'percentage', value: 12.5 }, flashSale: { price: 5 } });
  await edit(id, { version: 5, discount: null, flashSale: null });
  const summaries = [
    'Changed "Night Train": name, category, price $12.50 to $15.00',
    'Changed "Night Train II": discount none to $1.00',
    'Changed "Night Train II": discount',
    'Changed "Night Train II": discount $1.00 to 12.5%, flash sale none to $5.00',
    'Changed "Night Train II": discount 12.5% to none, flash sale $5.00 to none',
  ];
  const edited = { actor: 'boss@example.com', action: 'product.updated' };
  expect((await auditOf(id)).slice(1)).toEqual(summaries.map((summary) => ({ ...edited, summary })));
});

it('ignores fields that the form does not have', async () => {
  const id = await newId({ ...input, _id: crypto.randomUUID(), version: 9, sold_count: 5, isDraft: true });
  await edit(id, { name: 'Renamed', sold_count: 99, createdAt: fromNow(5), deletedAt: fromNow(0), price_cents: 1 });
  const row = await shop.deps.db
    .selectFrom('products')
    .select(['name', 'price_cents', 'sold_count', 'deleted_at', 'is_active', 'version'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({
    name: 'Renamed',
    price_cents: 1250,
    sold_count: 0,
    deleted_at: null,
    is_active: true,
    version: 2,
  });
});

it('rejects an edit of a stale version with a conflict, and saves nothing of it', async () => {
  const id = await newId();
  const answers = await Promise.all(['By Anna', 'By Ben', 'By Chong'].map((name) => edit(id, { version: 1, name })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: 'EDIT_CONFLICT' });
  expect(refused?.body.message).toMatch(/^Someone else changed this product meanwhile\. /);
  const kept = answers.find(({ status }) => status === 200)?.body.data;
  expect(await read(id)).toMatchObject({ name: kept?.['name'], version: 2 });
  expect(await auditOf(id)).toHaveLength(2);
  expect((await edit(id, { version: 2, name: 'By Ben after all' })).status).toBe(200);
});

it.each([
  [{ type: 'percentage', value: 33.33 }, 8.33],
  [{ type: 'percentage', value: 100 }, 0.01],
  [{ type: 'fixed', value: 12.49 }, 0.01],
  [{ type: 'fixed', value: 12.5 }, 0.01],
  [{ type: 'fixed', value: 0 }, 12.5],
  [{ type: 'none', value: 50 }, 12.5],
  [null, 12.5],
] as const)('discount %j makes a price of $12.50 cost $%d', async (discount, effectivePrice) => {
  const id = await newId();
  await edit(id, { discount: { type: 'percentage', value: 10 } });
  const { status, body } = await edit(id, { discount });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ price: 12.5, effectivePrice });
  if (discount === null || discount.type === 'none') expect(body.data?.['discount']).toBeNull();
});

it.each([
  [{ discount: { type: 'percentage', value: 100.01 } }, 'discount.value'],
  [{ discount: { type: 'percentage', value: -1 } }, 'discount.value'],
  [{ discount: { type: 'percentage', value: 1e-9 } }, 'discount.value'],
  [{ discount: { type: 'fixed', value: -0.01 } }, 'discount.value'],
  [{ discount: { type: 'fixed', value: 1e-9 } }, 'discount.value'],
  [{ discount: { type: 'half', value: 1 } }, 'discount.type'],
  [{ discount: { type: 'fixed', value: 1, startDate: fixed(2), endDate: fixed(1) } }, 'discount.endDate'],
  [{ flashSale: { price: -1 } }, 'flashSale.price'],
  [{ flashSale: { price: 5.000_000_001 } }, 'flashSale.price'],
  [{ flashSale: { price: 5, limitedStock: -1 } }, 'flashSale.limitedStock'],
  [{ flashSale: { price: 5, limitedStock: 2.5 } }, 'flashSale.limitedStock'],
  [{ flashSale: { price: 5, startDate: fixed(1), endDate: fixed(1) } }, 'flashSale.endDate'],
  [{ flashSale: { price: 5, endDate: '2020-01-01T00:00:00Z' } }, 'flashSale.endDate'],
  [{ flashSale: { price: 5, startDate: 'tomorrow' } }, 'flashSale.startDate'],
  [{ flashSale: { price: 12.51 } }, 'flashSale.price'],
  [{ price: 5, flashSale: { price: 5.01 } }, 'flashSale.price'],
  [{ discount: { type: 'fixed', value: 12.51 } }, 'discount.value'],
  [{ price: 5, discount: { type: 'fixed', value: 5.01 } }, 'discount.value'],
])('refuses %j and names the field', async (wrong, field) => {
  const id = await newId();
  const { status, body } = await edit(id, wrong);
  expect({ status, field: body['field'] }).toEqual({ status: 400, field });
  expect(await read(id)).toMatchObject({ discount: null, flashSale: null, version: 1 });
});

it('refuses a price below the flash sale or the discount, but allows other edits', async () => {
  const id = await newId();
  await edit(id, { flashSale: { price: 8 } });
  expect((await edit(id, { price: 7.99 })).body).toMatchObject({
    field: 'price',
    message: "must not be below the flash sale's $8.00: end the flash sale first",
  });
  await edit(id, { flashSale: null, discount: { type: 'fixed', value: 3 } });
  expect((await edit(id, { price: 2.99 })).body).toMatchObject({
    field: 'price',
    message: 'must not be below the discount of $3.00: end the discount first',
  });
  expect(await edit(id, { price: 2.99, discount: null, flashSale: { price: 20, active: false } })).toMatchObject({
    status: 200,
  });
  // A state from before the rule.
  await shop.deps.db.updateTable('products').set({ flash_price_cents: 900 }).where('id', '=', id).execute();
  expect(await edit(id, { name: 'Renamed', isActive: true })).toMatchObject({ status: 200 });
});

/** An hour of a day in the far future. */
function fixed(hour: number) {
  return `2040-01-01T0${hour}:00:00Z`;
}

it('starts a flash sale without a start immediately, and ends it with null or active: false', async () => {
  const id = await newId();
  const before = shop.deps.clock.now().getTime();
  const { body } = await edit(id, { flashSale: { price: 0, limitedStock: 3, endDate: fromNow(1) } });
  expect(body.data).toMatchObject({ effectivePrice: 0.01, flashSale: { active: true, unitsLeft: 3 } });
  const { flashSale } = await read(id);
  expect(Date.parse(flashSale?.startDate ?? '')).toBeGreaterThanOrEqual(before);

  for (const ended of [null, { active: false, price: 5 }]) {
    await edit(id, { flashSale: { price: 5 } });
    expect((await edit(id, { flashSale: ended })).body.data).toMatchObject({ effectivePrice: 12.5, flashSale: null });
  }
});

it('keeps the units taken when the same sale is edited, and counts from 0 for another sale', async () => {
  const id = await newId();
  await edit(id, { flashSale: { price: 5, limitedStock: 10, endDate: fromNow(5) } });
  await takeUnits(id, 4);
  const { flashSale: sale } = await read(id);
  if (!sale) throw new Error('There is no sale');
  const left = async (flashSale: object) =>
    ((await edit(id, { name: 'Other', flashSale })).body.data as unknown as AdminDigitalProduct).flashSale?.unitsLeft;
  const { price, startDate, endDate } = sale;

  expect(await left({ price, startDate, endDate, limitedStock: 10 })).toBe(6);
  expect(await left({ price, endDate, limitedStock: 10 })).toBe(6);
  expect(await left({ price, startDate, endDate, limitedStock: 4 })).toBe(0);
  const tooFew = await edit(id, { flashSale: { price, startDate, endDate, limitedStock: 3 } });
  expect(tooFew).toMatchObject({
    status: 400,
    body: {
      field: 'flashSale.limitedStock',
      message: '4 units were sold at this price already, so the limit cannot be lower',
    },
  });
  expect(await left({ price: 4, startDate, endDate, limitedStock: 3 })).toBe(3);
  await takeUnits(id, 1);
  const none = await edit(id, { flashSale: { price: 4, startDate, endDate, limitedStock: 0 } });
  expect(none.body.message).toBe('1 unit was sold at this price already, so the limit cannot be lower');
  await takeUnits(id, 1);
  expect(await left({ price: 4, startDate, endDate: fromNow(9), limitedStock: 3 })).toBe(3);
});

it('returns the units of an abandoned order only to the sale that it took them from', async () => {
  const { id, name } = await makeProduct(shop.deps, { items: 6 });
  await edit(id, { flashSale: { price: 5, limitedStock: 3 } });
  const cart = (price: number) => [{ product: { id, name, price }, quantity: 3 }];
  const pay = async (email: string) =>
    String((await createShopper(shop.url).openPayment(cart(5), { email })).body.orderId);
  const [slow, another] = [await pay('flash-1@example.com'), { price: 4, limitedStock: 3 }];
  await edit(id, { flashSale: null });
  await edit(id, { flashSale: another });
  const taken = await pay('flash-2@example.com');
  const unitsLeft = async () => (await read(id)).flashSale?.unitsLeft;
  expect(await unitsLeft()).toBe(0);
  await cancelOrder(shop.deps, slow, 'abandoned');
  expect(await unitsLeft()).toBe(0);
  await cancelOrder(shop.deps, taken, 'abandoned');
  expect(await unitsLeft()).toBe(3);
});

it.each(['shared', 'file', 'manual'] as const)(
  'counts the units of %s goods the same in the list and in the inventory',
  async (kind) => {
    const product = await makeGoods(shop.deps, kind, 5);
    const sold = kind === 'manual' ? 0 : 2;
    const buyer = { email: `${kind}@example.com`, password: TEST_PASSWORD };
    if (sold > 0) await createShopper(shop.url).buy([{ product, quantity: sold }], buyer);
    const stats = { total: 5, available: 5 - sold, sold };
    expect((await read(product.id)).inventoryStats).toEqual(stats);
    const { body } = await admin.get(`/api/digital-products/${product.id}/inventory`);
    expect(body.data).toMatchObject({ stats });
  },
);

it('deletes softly: hides the product, withdraws unsold items, keeps sold and held ones', async () => {
  const product = await makeProduct(shop.deps, { items: 4 });
  const buyer = { email: 'del@example.com', password: TEST_PASSWORD };
  const cart = [{ product, quantity: 1 }];
  await createShopper(shop.url).buy(cart, buyer);
  const paying = await createShopper(shop.url).openPayment(cart, { email: 'slow@example.com' });
  expect((await read(product.id)).inventoryStats).toEqual({ total: 4, available: 2, sold: 1 });

  expect((await remove(product.id)).status).toBe(200);
  expect(await statesOf(product.id)).toEqual(['held', 'quarantined', 'quarantined', 'sold']);
  const deleted = await read(product.id);
  expect(deleted).toMatchObject({ isActive: false, inventoryStats: { total: 2, available: 0, sold: 1 } });
  expect(deleted.deletedAt).not.toBeNull();
  const stranger = createShopper(shop.url);
  expect((await stranger.get(`/api/digital-products/${product.id}`)).status).toBe(404);
  expect((await stranger.openPayment(cart, { email: 'late@example.com' })).body.code).toBe('PRODUCT_UNAVAILABLE');

  // The unpaid order is abandoned, which returns its item to the others. Then all unsold items are on sale again.
  await cancelOrder(shop.deps, String(paying.body.orderId), 'abandoned');
  expect(await statesOf(product.id)).toEqual(['quarantined', 'quarantined', 'quarantined', 'sold']);
  const { body } = await edit(product.id, { isActive: true });
  expect(body.data).toMatchObject({ isActive: true, deletedAt: null, stock: 3 });
  expect(await statesOf(product.id)).toEqual(['available', 'available', 'available', 'sold']);
  expect((await auditOf(product.id)).map(({ action }) => action)).toEqual(['product.deleted', 'product.activated']);
});

it('ignores the stock in an edit of a product with items, and counts the items', async () => {
  const product = await makeProduct(shop.deps, { items: 2 });
  expect((await edit(product.id, { stock: 9, featured: true })).body.data).toMatchObject({ featured: true, stock: 2 });
});

it('deactivates and activates a product without changing its stock', async () => {
  const product = await makeProduct(shop.deps, { items: 2 });
  expect((await edit(product.id, { isActive: false })).body.data).toMatchObject({ isActive: false, stock: 2 });
  expect((await edit(product.id, { isActive: true })).body.data).toMatchObject({ isActive: true, stock: 2 });
  expect((await auditOf(product.id)).map(({ summary }) => summary)).toEqual([
    `Deactivated "${product.name}"`,
    `Activated "${product.name}"`,
  ]);
});

it('answers 404 for a missing product', async () => {
  const id = crypto.randomUUID();
  const answers = [await admin.get(`/api/admin/digital-products/${id}`), await edit(id, {}), await remove(id)];
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(
    answers.map(() => [404, 'Product not found']),
  );
});

it('lists products newest first, page by page, by status and part of the name, with counts of the whole shop', async () => {
  const { counts: before } = await list('');
  const ids = [];
  // Two products have the same time, so that the id decides.
  for (const minutes of [3, 2, 2, 1, 0]) {
    const created_at = new Date(shop.deps.clock.now().getTime() - minutes * 60_000);
    ids.push((await makeProduct(shop.deps, { name: `Paged 50%_${minutes}`, items: 1, created_at })).id);
  }
  await edit(String(ids[0]), { isActive: false });

  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list(`q=pAGED%2050%25_&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    expect(page).toMatchObject({ total: 5, counts: { active: before.active + 4, inactive: before.inactive + 1 } });
    seen.push(...page.data.map(({ _id }) => _id));
    cursor = page.nextCursor;
  } while (cursor);
  expect(seen[0]).toBe(ids[4]);
  expect(seen[4]).toBe(ids[0]);
  expect(new Set(seen)).toEqual(new Set(ids));

  expect(await list('q=paged&status=active')).toMatchObject({ total: 4 });
  expect((await list('q=paged&status=inactive')).data.map(({ _id }) => _id)).toEqual([ids[0]]);
  const manual = await makeProduct(shop.deps, { name: 'Paged by hand', delivery: 'manual', items: 0 });
  expect((await list('q=paged&delivery=manual')).data.map(({ _id }) => _id)).toEqual([manual.id]);
  expect(await list('q=paged&delivery=unique')).toMatchObject({ total: 5 });
  expect(await list('q=paged%20500_')).toMatchObject({ data: [], total: 0, nextCursor: null });
  expect((await list('q=paged&delivery=unique&limit=1')).data[0]?.inventoryStats).toEqual({
    total: 1,
    available: 1,
    sold: 0,
  });
  expect((await admin.get('/api/admin/digital-products?cursor=nonsense')).status).toBe(400);
});
