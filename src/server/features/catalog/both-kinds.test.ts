import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { AdminDigitalProduct, AdminPhysicalProduct } from '../../../shared/products.ts';

type Product = Pick<
  AdminDigitalProduct | AdminPhysicalProduct,
  | '_id'
  | 'name'
  | 'image'
  | 'images'
  | 'price'
  | 'effectivePrice'
  | 'discount'
  | 'flashSale'
  | 'isActive'
  | 'isDraft'
  | 'version'
  | 'deletedAt'
>;

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin', email: 'boss@example.com' });

const common = { description: 'A thing', price: 12.5, image: '/favicon.svg' };
const kinds = {
  digital: {
    list: '/api/admin/digital-products',
    one: '/api/digital-products',
    subject: 'product',
    fields: { ...common, category: 'VPN' },
  },
  physical: {
    list: '/api/admin/products',
    one: '/api/admin/products',
    subject: 'physical-product',
    fields: { ...common, category: 'Mugs', brand: 'Kedai', stock: 3, isActive: true },
  },
};
const named = (name: string) => `${name} ${uuidv7().slice(-8)}`;
const auditOf = async (id: string) =>
  (await readAuditOf(shop.deps.db, id)).map(({ action, subject_type, summary }) => [action, subject_type, summary]);

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('a %s product', (kind) => {
  const { list, one, subject, fields } = kinds[kind];
  const create = (body: object = {}) => admin.post(one, { ...fields, name: named('Thing'), ...body });
  const made = async (body?: object) => (await create(body)).body.data as unknown as Product;
  const edit = (id: string, body: object) => admin.send('PUT', `${one}/${id}`, body);
  const remove = (id: string) => admin.send('DELETE', `${one}/${id}`);
  const read = async (id: string) => (await admin.get(`${list}/${id}`)).body.data as unknown as Product;
  const found = async (query: string) => {
    const { body } = await admin.get(`${list}?${query}`);
    return body as unknown as { data: Product[]; total: number; counts: { active: number; inactive: number } };
  };

  it('is created once per draft, and recorded in the audit log with its kind', async () => {
    const [draft, name] = [uuidv7(), named('Thing')];
    const manual = {
      delivery: 'manual',
      buyerFields: [{ label: 'Player ID', kind: 'text', required: true, choices: [] }],
    };
    const body = { draft, name, ...(kind === 'digital' && manual) };
    const answers = await Promise.all([create(body), create(body)]);
    expect(answers.map(({ status, body }) => [status, body.data?.['_id']])).toEqual([
      [201, draft],
      [201, draft],
    ]);
    const corrected = await create({ ...body, price: 125 });
    expect(corrected).toMatchObject({ status: 400, body: { message: expect.stringContaining('already') } });
    expect(await read(draft)).toMatchObject({ price: 12.5, version: 1 });
    expect((await auditOf(draft)).map(([action, type]) => [action, type])).toEqual([[`${subject}.created`, subject]]);
  });

  it('is found only by the endpoints of its kind', async () => {
    const { _id, name } = await made();
    const other = kinds[kind === 'digital' ? 'physical' : 'digital'];
    const calls = [
      admin.get(`${other.list}/${_id}`),
      admin.send('PUT', `${other.one}/${_id}`, { price: 1 }),
      admin.send('DELETE', `${other.one}/${_id}`),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await admin.get(`${other.list}?q=${name}`)).body).toMatchObject({ data: [], total: 0 });
    expect(await read(_id)).toMatchObject({ name, price: 12.5, version: 1 });
  });

  it('has pictures in an order, the first of which is its image', async () => {
    const pictures = ['/favicon.svg', '/images/a.webp', 'https://img.example/b.jpg'];
    const { _id, images } = await made();
    expect(images).toEqual(['/favicon.svg']);
    const shown = async (body: object) => {
      const { image, images } = (await edit(_id, body)).body.data as unknown as Product;
      return [image, ...images];
    };
    expect(await shown({ images: pictures })).toEqual([pictures[0], ...pictures]);
    expect(await shown({ images: pictures.toReversed() })).toEqual([pictures[2], ...pictures.toReversed()]);
    expect(await shown({ image: '/x.svg' })).toEqual(['/x.svg', '/x.svg', pictures[1], pictures[0]]);
    expect(await shown({ images: pictures.slice(0, 1) })).toEqual([pictures[0], pictures[0]]);
    for (const images of [[], [''], Array.from({ length: 11 }, () => '/x.svg')])
      expect((await edit(_id, { images })).status).toBe(400);
    const [, change = []] = await auditOf(_id);
    expect(change[2]).toContain('pictures');
  });

  it('needs a confirmation for the name of another active product of its kind', async () => {
    const { name } = await made();
    expect((await create({ name: name.toUpperCase(), onSameName: 'ask' })).body.code).toBe('SAME_NAME');
    expect((await create({ name, onSameName: 'allow' })).status).toBe(201);
    const other = kinds[kind === 'digital' ? 'physical' : 'digital'];
    const sameOfOther = { ...other.fields, name, onSameName: 'ask' };
    expect((await admin.post(other.one, sameOfOther)).status).toBe(201);
  });

  it('rejects an edit of a stale version', async () => {
    const { _id } = await made();
    expect((await edit(_id, { price: 13, version: 1 })).body.data).toMatchObject({ price: 13, version: 2 });
    expect((await edit(_id, { price: 14, version: 1 })).body.code).toBe('EDIT_CONFLICT');
    expect(await read(_id)).toMatchObject({ price: 13, version: 2 });
  });

  it('accepts an edit that is retried after a lost response, and records it once', async () => {
    const { _id } = await made();
    const change = { price: 13, discount: { type: 'fixed', value: 2 }, flashSale: { price: 5 }, version: 1 };
    await edit(_id, change);
    const repeated = await edit(_id, change);
    expect(repeated.body.data).toMatchObject({ price: 13, effectivePrice: 5, version: 2 });
    expect((await auditOf(_id)).map(([action]) => action)).toEqual([`${subject}.created`, `${subject}.updated`]);
  });

  it.each([
    [{ discount: { type: 'percentage', value: 10 } }, 11.25],
    [{ discount: { type: 'fixed', value: 2.5 } }, 10],
    [{ flashSale: { price: 5, limitedStock: 2 } }, 5],
    [{ discount: { type: 'fixed', value: 2.5 }, flashSale: { price: 5 } }, 5],
    [{ flashSale: { price: 5, startDate: '2040-01-01T00:00:00Z' } }, 12.5],
  ])('costs with %j the price of the shared rule, until the offer ends', async (offers, effectivePrice) => {
    const { _id } = await made();
    expect((await edit(_id, offers)).body.data).toMatchObject({ price: 12.5, effectivePrice });
    const ended = await edit(_id, { discount: null, flashSale: null });
    expect(ended.body.data).toMatchObject({ effectivePrice: 12.5, discount: null, flashSale: null });
    expect((await auditOf(_id)).map(([action]) => action)).toEqual(
      ['created', 'updated', 'updated'].map((verb) => `${subject}.${verb}`),
    );
  });

  it.each([
    [{ flashSale: { price: 12.51 } }, 'flashSale.price'],
    [{ discount: { type: 'fixed', value: 12.51 } }, 'discount.value'],
    [{ price: 5, flashSale: { price: 5.01 } }, 'flashSale.price'],
    [{ discount: { type: 'percentage', value: 100.01 } }, 'discount.value'],
    [{ image: 'javascript:alert(1)' }, 'image'],
    [{ price: 9.999 }, 'price'],
  ])('refuses %j and names the field', async (wrong, field) => {
    const { _id } = await made();
    expect(await edit(_id, wrong)).toMatchObject({ status: 400, body: { field } });
    expect(await read(_id)).toMatchObject({ discount: null, flashSale: null, version: 1 });
  });

  it('refuses a price below its offer', async () => {
    const { _id } = await made();
    await edit(_id, { flashSale: { price: 8 } });
    expect((await edit(_id, { price: 7.99 })).body).toMatchObject({ field: 'price' });
    await edit(_id, { flashSale: null, discount: { type: 'fixed', value: 3 } });
    expect((await edit(_id, { price: 2.99 })).body).toMatchObject({ field: 'price' });
  });

  it('is deactivated, deleted once and restored, each recorded in the audit log', async () => {
    const { _id, name } = await made();
    expect((await edit(_id, { isActive: false })).body.data).toMatchObject({ isActive: false, deletedAt: null });
    for (const _press of ['first', 'second']) expect((await remove(_id)).status).toBe(200);
    const deleted = await read(_id);
    expect(deleted).toMatchObject({ isActive: false, version: 3 });
    expect(deleted.deletedAt).not.toBeNull();
    expect((await edit(_id, { isActive: true })).body.data).toMatchObject({ isActive: true, deletedAt: null });
    expect((await auditOf(_id)).slice(1)).toEqual([
      [`${subject}.deactivated`, subject, `Deactivated "${name}"`],
      [`${subject}.deleted`, subject, `Deleted "${name}", which is inactive now`],
      [`${subject}.activated`, subject, `Activated "${name}"`],
    ]);
  });

  it('is activated and deactivated once by two administrators at once, whose colleague’s open form stays current', async () => {
    const { _id } = await made();
    for (const isActive of [false, true]) {
      const { version } = await read(_id);
      for (const { status } of await Promise.all([edit(_id, { isActive }), edit(_id, { isActive })]))
        expect(status).toBe(200);
      expect(await read(_id)).toMatchObject({ isActive, version: version + 1 });
    }
    expect((await edit(_id, { isActive: true, featured: false })).body.data).toMatchObject({ version: 3 });
    const actions = (await auditOf(_id)).map(([action]) => action);
    expect(actions).toEqual(['created', 'deactivated', 'activated'].map((verb) => `${subject}.${verb}`));
  });

  it('created inactive is a draft: hidden, editable, and published once', async () => {
    const { _id, name } = await made({ isActive: false });
    expect(await read(_id)).toMatchObject({ isActive: false, isDraft: true });
    await edit(_id, { price: 13 });
    expect(await read(_id)).toMatchObject({ price: 13, isActive: false, isDraft: true });
    // A deleted draft is brought back as a draft.
    await remove(_id);
    expect((await edit(_id, { undoDelete: true })).body.data).toMatchObject({ isActive: false, isDraft: true });
    expect((await edit(_id, { isActive: true })).body.data).toMatchObject({ isActive: true, isDraft: false });
    expect((await edit(_id, { isActive: false })).body.data).toMatchObject({ isActive: false, isDraft: false });
    const actions = (await auditOf(_id)).map(([action, , summary]) => [action, summary]);
    expect(actions[0]?.[1]).toContain(`Drafted "${name}"`);
    expect(actions.slice(-2)).toEqual([
      [`${subject}.published`, `Published "${name}"`],
      [`${subject}.deactivated`, `Deactivated "${name}"`],
    ]);
  });

  it('is listed by status and part of its name, with counts of its kind', async () => {
    const { counts } = await found('');
    const { _id, name } = await made();
    const word = name.slice(-8).toUpperCase();
    expect((await found(`q=${word}`)).data.map((product) => product._id)).toEqual([_id]);
    expect((await found(`q=${word}&status=inactive`)).total).toBe(0);
    await edit(_id, { isActive: false });
    expect(await found(`q=${word}&status=inactive`)).toMatchObject({
      total: 1,
      counts: { active: counts.active, inactive: counts.inactive + 1 },
    });
  });
});

it('each kind is shown to shoppers only by its own endpoints', async () => {
  const { body } = await admin.post(kinds.physical.one, { ...kinds.physical.fields, name: named('Mug') });
  const product = { id: String(body.data?.['_id']), name: String(body.data?.['name']), price: 12.5 };
  const stranger = createShopper(shop.url);
  expect((await stranger.get(`/api/digital-products/${product.id}`)).status).toBe(404);
  for (const query of [`ids=${product.id}`, `q=${product.name}`]) {
    expect((await stranger.get(`/api/digital-products?${query}`)).body).toMatchObject({ data: [], total: 0 });
  }
  const { body: categories } = await stranger.get('/api/digital-products/categories/list');
  expect(categories.data).not.toContainEqual(expect.objectContaining({ name: 'Mugs' }));
  const customer = await signedIn(shop);
  expect((await customer.openPayment([{ product, quantity: 1 }])).body.code).toBe('PRODUCT_UNAVAILABLE');
  const inventory = `/api/digital-products/${product.id}/inventory`;
  expect((await admin.get(inventory)).status).toBe(404);
  expect((await admin.post(inventory, { items: ['KEY-OF-A-MUG'] })).status).toBe(404);
});

it('a physical product is not created again from its draft after some units were sold', async () => {
  const { one, fields } = kinds.physical;
  const form = { ...fields, name: named('Mug'), draft: uuidv7() };
  expect((await admin.post(one, form)).status).toBe(201);
  const product = { id: form.draft, name: form.name, price: 12.5, kind: 'physical' as const };
  await createShopper(shop.url).buy([{ product, quantity: 2 }], { email: 'two-mugs@example.com' });
  expect(await admin.post(one, form)).toMatchObject({ status: 201, body: { data: { _id: form.draft, stock: 1 } } });
  expect(await admin.post(one, { ...form, stock: 4 })).toMatchObject({ status: 400 });
});
