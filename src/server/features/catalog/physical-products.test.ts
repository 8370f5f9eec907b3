import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { AdminPhysicalProduct } from '../../../shared/products.ts';

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin', email: 'boss@example.com' });
beforeEach(async () => {
  await shop.deps.db.deleteFrom('stock_changes').execute();
  await shop.deps.db.deleteFrom('products').execute();
});

const mug = {
  name: 'Kopi Mug',
  description: 'Holds 300 ml',
  brand: 'Kedai',
  category: 'Kitchen',
  image: 'https://example.com/mug.png',
  price: 12.5,
  stock: 7,
  isActive: true,
};
const ADDRESS = '/api/admin/products';
const create = async (overrides: object = {}) =>
  (await admin.post(ADDRESS, { ...mug, ...overrides })).body.data as unknown as AdminPhysicalProduct;
const put = (id: string, changes: object) => admin.send('PUT', `${ADDRESS}/${id}`, changes);
const list = async (query = '') => {
  const { body } = await admin.get(`${ADDRESS}${query}`);
  return body as unknown as { data: AdminPhysicalProduct[]; nextCursor: string | null; total: number };
};
const namesOf = async (query: string) => (await list(query)).data.map(({ name }) => name);
const entriesOf = (id: string) =>
  shop.deps.db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'summary'])
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute();

describe('a physical product', () => {
  it('is added, changed and deleted, each on record', async () => {
    const made = await create();
    expect(made).toMatchObject({ ...mug, rating: 0, numReviews: 0, version: 1 });
    const changed = await put(made._id, { price: 9.99, stock: 0, brand: 'Kedai Rumah', version: 1 });
    expect(changed.body.data).toMatchObject({ ...mug, price: 9.99, stock: 0, brand: 'Kedai Rumah', version: 2 });
    for (const _press of ['first', 'second']) {
      expect((await admin.send('DELETE', `${ADDRESS}/${made._id}`)).status).toBe(200);
    }
    const { body } = await admin.get(`${ADDRESS}/${made._id}`);
    expect(body.data).toMatchObject({ name: 'Kopi Mug', isActive: false, version: 3 });
    const by = { actor: 'boss@example.com' };
    expect(await entriesOf(made._id)).toEqual([
      { ...by, action: 'physical-product.created', summary: 'Created "Kopi Mug" for $12.50, 7 in stock' },
      {
        ...by,
        action: 'physical-product.updated',
        summary: 'Changed "Kopi Mug": price $12.50 to $9.99, stock 7 to 0, brand',
      },
      { ...by, action: 'physical-product.deleted', summary: 'Deleted "Kopi Mug", which is inactive now' },
    ]);
  });

  it('has a weight and a size where somebody has measured it', async () => {
    const { _id, ...made } = await create();
    expect(made).toMatchObject({ weight: null, length: null, width: null, height: null });
    const size = { weight: 410, length: 120, width: 95, height: 105 };
    expect((await put(_id, size)).body.data).toMatchObject(size);
    expect((await put(_id, { height: null })).body.data).toMatchObject({ ...size, height: null });
    expect((await entriesOf(_id)).map(({ summary }) => summary).slice(1)).toEqual([
      'Changed "Kopi Mug": weight, length, width, height',
      'Changed "Kopi Mug": height',
    ]);
  });

  it('is added once, however often its form is sent', async () => {
    const draft = uuidv7();
    const answers = await Promise.all([1, 2, 3].map(() => admin.post(ADDRESS, { ...mug, draft })));
    expect(answers.map(({ status, body }) => [status, body.data?.['_id']])).toEqual(Array(3).fill([201, draft]));
    expect(await list()).toMatchObject({ total: 1 });
    expect(await entriesOf(draft)).toHaveLength(1);
  });

  it('asks before it gets the name of another one, where asking is asked for', async () => {
    const { _id } = await create();
    const named = (onSameName?: string) => admin.post(ADDRESS, { ...mug, name: 'KOPI mug', onSameName });
    expect(await named('ask')).toMatchObject({ status: 409, body: { code: 'SAME_NAME' } });
    for (const answer of [await named('allow'), await named()]) expect(answer.status).toBe(201);
    const change = { name: 'Teh Mug', onSameName: 'ask' };
    expect((await put(_id, change)).status).toBe(200);
    expect(await put(_id, { ...change, name: 'Kopi Mug' })).toMatchObject({ status: 409 });
    expect((await put(_id, { name: 'Kopi Mug', onSameName: 'allow' })).status).toBe(200);
    expect((await entriesOf(_id)).at(-1)?.summary).toBe('Changed "Teh Mug": name');
  });

  it('is not overwritten by an administrator who has not seen its last change', async () => {
    const { _id, version } = await create();
    const answers = await Promise.all([
      put(_id, { name: 'One Mug', version }),
      put(_id, { name: 'Other Mug', version }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [winner] = answers.filter(({ status }) => status === 200);
    const [loser] = answers.filter(({ status }) => status === 409);
    expect(loser?.body).toMatchObject({ code: 'EDIT_CONFLICT' });
    const { body } = await admin.get(`${ADDRESS}/${_id}`);
    expect(body.data).toEqual(winner?.body.data);
    expect(await entriesOf(_id)).toHaveLength(2);
  });

  it.each([
    ['a price of nothing', { price: 0 }, 'price'],
    ['a negative price', { price: -1 }, 'price'],
    ['a part of a cent', { price: 1.001 }, 'price'],
    ['a price as text', { price: '12' }, 'price'],
    ['a price beyond all', { price: 1e9 }, 'price'],
    ['half a thing in stock', { stock: 0.5 }, 'stock'],
    ['less than nothing in stock', { stock: -1 }, 'stock'],
    ['a weight of nothing', { weight: 0 }, 'weight'],
    ['half a millimetre of length', { length: 0.5 }, 'length'],
    ['no name', { name: '  ' }, 'name'],
    ['a name of two lines', { name: 'a\r\nBcc: b@example.com' }, 'name'],
    ['NUL in its brand', { brand: 'a\u0000' }, 'brand'],
    ['a lone surrogate in its description', { description: '\ud800' }, 'description'],
    ['no category', { category: '' }, 'category'],
    ['an image by an unsafe address', { image: 'javascript:alert(1)' }, 'image'],
    ['an image without encryption', { image: 'http://example.com/a.png' }, 'image'],
    ['an image of another host in disguise', { image: '//example.com/a.png' }, 'image'],
  ])('may not have %s', async (_what, wrong, field) => {
    const { _id } = await create();
    for (const answer of [await admin.post(ADDRESS, { ...mug, ...wrong }), await put(_id, wrong)]) {
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'VALIDATION_FAILED', field }]);
    }
    expect(await list()).toMatchObject({ total: 1, data: [{ ...mug, version: 1 }] });
  });

  it('takes markup, emoji and marks of direction as the text they are', async () => {
    const name = `<img src=x onerror=alert(1)> \u202e${'🥤'.repeat(80)}`;
    expect(await create({ name })).toMatchObject({ name });
  });

  it('answers 404 where there is none', async () => {
    const missing = `${ADDRESS}/${uuidv7()}`;
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await admin.send(method, missing, method === 'PUT' ? { stock: 1 } : undefined);
      expect([method, answer.status]).toEqual([method, 404]);
    }
  });
});

describe('the list of physical products', () => {
  it('is searched by name and category, whatever the case, and never as a pattern', async () => {
    for (const [name, category] of [
      ['Kopi Mug', 'Kitchen'],
      ['Desk Lamp', 'Office'],
      ['100% Cotton_Towel', 'Bath'],
    ]) {
      await create({ name, category });
    }
    expect(await namesOf('?q=MUG')).toEqual(['Kopi Mug']);
    expect(await namesOf('?q=kitch')).toEqual(['Kopi Mug']);
    expect(await namesOf('?q=office')).toEqual(['Desk Lamp']);
    expect(await namesOf('?q=%25')).toEqual(['100% Cotton_Towel']);
    expect(await namesOf('?q=n_t')).toEqual(['100% Cotton_Towel']);
    expect(await namesOf(`?q=${encodeURIComponent("' OR 1=1 --")}`)).toEqual([]);
    expect((await list('?q=a')).total).toBe(2);
  });

  it('is read page by page, newest first, each product once, while others are added', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) ids.unshift((await create({ isActive: index % 2 === 0 }))._id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(`?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.data.map(({ _id }) => _id));
      cursor = page.nextCursor;
      await create({ name: 'Added meanwhile' });
    } while (cursor);
    expect(seen).toEqual(ids);
    expect((await list('?status=inactive')).total).toBe(3);
    expect((await admin.get(`${ADDRESS}?cursor=nonsense`)).status).toBe(400);
  });
});

it('a digital product asks before it gets the name of another one on sale, where asking is asked for', async () => {
  const game = { name: 'Night Train', description: 'A game', price: 12.5, category: 'VPN', image: '/favicon.svg' };
  const [first, second] = [uuidv7(), uuidv7()];
  const make = (body: object) => admin.post('/api/digital-products', { ...game, ...body });
  const rename = (id: string, body: object) => admin.send('PUT', `/api/digital-products/${id}`, body);
  expect((await make({ draft: first, onSameName: 'ask' })).status).toBe(201);
  expect(await make({ name: 'night TRAIN', draft: second, onSameName: 'ask' })).toMatchObject({
    status: 409,
    body: { code: 'SAME_NAME', message: 'Another product is named "night TRAIN". Use the name again?' },
  });
  // A repeated call with the same draft is not another product.
  expect((await make({ draft: first, onSameName: 'ask' })).status).toBe(201);
  for (const onSameName of ['allow', undefined]) expect((await make({ onSameName })).status).toBe(201);
  await make({ name: 'Day Train', draft: second });
  expect((await rename(second, { name: game.name, onSameName: 'ask' })).status).toBe(409);
  expect((await rename(second, { name: game.name, onSameName: 'allow' })).status).toBe(200);
  // It has the name by now, so another edit asks nothing.
  expect((await rename(second, { name: game.name, price: 5, onSameName: 'ask' })).status).toBe(200);
  expect((await entriesOf(second)).map(({ summary }) => summary).join()).not.toContain('onSameName');
});
