import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../admin-orders.ts';
import { makeParcel, makePhysicalProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

const shop = await openTestShop({ settings: { TRUST_PROXY: '1' } });
const { admin } = await openAdminOrders(shop);

const nowhere = '01900000-0000-7000-8000-000000000000';
const lists = {
  catalogue: '/api/digital-products',
  'digital products': '/api/admin/digital-products',
  'physical products': '/api/admin/products',
  orders: '/api/admin/orders',
  'digital orders': '/api/admin/digital-orders',
  parcels: '/api/orders',
  users: '/api/admin/users',
  'audit log': '/api/admin/audit-log',
};
const ask = (list: string, query: Record<string, string>) => admin.get(`${list}?${new URLSearchParams(query)}`);

describe('an image URL', () => {
  const bad = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'file:///etc/passwd',
    'blob:https://images.example.com/x',
    'http://images.example.com/a.png',
    '//thief.example.com/a.png',
    '/\\thief.example.com/a.png',
    '\\\\thief.example.com\\a.png',
    'https:images.example.com',
    'https://',
    'https://images.example.com/a b.png',
    'https://images.example.com/a\nb.png',
    'https://images.example.com/\u202Egnp.exe',
    'https://images.example.com/\u0000.png',
    'https://images.example.com/\ud800.png',
    '/covers/a b.svg',
    '/covers/"onerror="alert(1)',
    '/covers/a.svg?x=<script>',
    'covers/a.svg',
    '',
  ];

  it.each(bad)('is refused: %j', async (image) => {
    const { id } = await makeProduct(shop.deps);
    const goods = await makePhysicalProduct(shop.deps);
    const game = { name: 'Game', description: 'A game', price: 1, category: 'VPN', image };
    const mouse = { name: 'M', description: '', brand: '', category: 'Mice', price: 1, stock: 1, isActive: true };
    for (const answer of [
      await admin.post('/api/digital-products', game),
      await admin.send('PUT', `/api/digital-products/${id}`, { image }),
      await admin.post('/api/admin/products', { ...mouse, image }),
      await admin.send('PUT', `/api/admin/products/${goods}`, { image }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { field: 'image' } });
    }
  });

  it.each(['https://images.example.com/a%20b.png?x=1&y="2"<3>', 'https://bücher.example/ä.png', '/images/a.webp'])(
    'is stored unchanged: %j',
    async (image) => {
      const { id } = await makeProduct(shop.deps);
      const { body } = await admin.send('PUT', `/api/digital-products/${id}`, { image });
      expect(body.data).toMatchObject({ image });
    },
  );
});

describe('a cursor', () => {
  const values: unknown[] = [
    ...['5', '-1', '9999999999', '99999999999999999999', '0', "1'; DROP TABLE orders; --", '', 'x', '1e3'],
    ...['2026-01-01 00:00:00+00', '2026-02-30 00:00:00+00', '2026-13-45 99:99:99+99', '0000-01-01 00:00:00+00'],
    ...['2026-01-01 00:00:00+15:60', '2026-01-01 00:00:00-23', '9999-12-31 23:59:59.999999-14'],
    ...[nowhere, '00000000-0000-0000-0000-000000000000', `${nowhere}'`, '\u0000', '\ud800'],
    ...[5, null, true, ['5'], { $gt: '' }],
  ];
  const made = [
    ...values.map((value) => [value]),
    ...values.flatMap((value) => [
      [value, nowhere],
      ['2026-01-01 00:00:00+00', value],
      ['1', '2026-01-01 00:00:00+00', value],
      ['1', value, nowhere],
      [value, '2026-01-01 00:00:00+00', nowhere],
    ]),
    ...[[], {}, 'text', 5, null, '__proto__', [[[[]]]]],
  ].map((cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url'));
  const cursors = [...made, '%00', 'bm9wZQ', '{}', '=', '..', '🎮', 'A'.repeat(400), 'A'.repeat(401)];

  it.each(Object.entries(lists))(
    'that is forged gets a page or a 400, and no other status: %s',
    async (_name, list) => {
      const seen = new Set<number>();
      for (const cursor of cursors) {
        for (const sort of list === lists.catalogue ? ['featured', 'newest', 'popular', 'price_asc'] : [undefined]) {
          const { status, body } = await ask(list, { cursor, ...(sort && { sort }) });
          seen.add(status);
          if (status !== 200) expect([cursor, status, body['field']]).toEqual([cursor, 400, 'cursor']);
        }
      }
      expect([...seen].sort()).toEqual([200, 400]);
    },
  );

  it('of one list causes no server error in another list', async () => {
    for (let index = 0; index < 2; index += 1) {
      await makeProduct(shop.deps);
      await makeParcel(shop.deps);
      await makeUser(shop.deps);
      await makePhysicalProduct(shop.deps);
    }
    for (const [from, list] of Object.entries(lists)) {
      const cursor = String((await ask(list, { limit: '1' })).body['nextCursor']);
      for (const other of Object.values(lists)) {
        expect([from, other, (await ask(other, { cursor })).status < 500]).toEqual([from, other, true]);
      }
    }
  });
});

describe('a request value', () => {
  const days = ['0000-01-01', '0001-01-01', '9999-12-31', '2026-02-30', '10000-01-01', '-001-01-01', 'infinity', 'now'];
  it.each(days)('is accepted as a day only if the day is valid: %s', async (day) => {
    for (const list of [lists['digital orders'], lists.parcels, lists['audit log'], '/api/admin/reports/tax']) {
      for (const query of [{ from: day }, { to: day }, { from: day, to: day }]) {
        const status = (await ask(list, query)).status;
        expect([list, query, status]).toEqual([list, query, /^(0001|9999)/.test(day) ? 200 : 400]);
      }
    }
  });

  it.each(['0', '-1', '1.5', '1e9', '201', 'NaN', 'Infinity', '0x10000', '١', '', ' '])(
    'is refused as a limit: %j',
    async (limit) => {
      for (const list of Object.values(lists)) expect((await ask(list, { limit })).status).toBe(400);
    },
  );

  it.each([
    '-'.repeat(36),
    'f'.repeat(36),
    `${nowhere},`,
    `${nowhere}\n`,
    Array(51).fill(nowhere).join(),
    `${nowhere.slice(0, -1)}g`,
  ])('is refused as a list of ids: %j', async (ids) => {
    expect(await ask(lists.catalogue, { ids })).toMatchObject({ status: 400, body: { field: 'ids' } });
  });

  it.each([
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-23:59',
    '9999-12-31T23:59:59.999Z',
  ])('is refused or stored exactly as the start of a sale: %s', async (startDate) => {
    const { id } = await makeProduct(shop.deps, { price_cents: 1250 });
    for (const sale of [{ discount: { type: 'fixed', value: 1, startDate } }, { flashSale: { price: 1, startDate } }]) {
      const { status, body } = await admin.send('PUT', `/api/digital-products/${id}`, sale);
      if (status !== 400) {
        const kept = Object.entries(body.data ?? {}).find(([name]) => name in sale)?.[1] as { startDate: string };
        expect([status, Date.parse(kept.startDate)]).toEqual([200, Date.parse(startDate)]);
      }
      expect((await createShopper(shop.url).get(`/api/digital-products/${id}`)).status).toBe(200);
    }
  });

  it.each([-1, 2 ** 31, 2 ** 53 - 1])('causes an edit conflict as a version: %d', async (version) => {
    const { id } = await makeProduct(shop.deps);
    const goods = await makePhysicalProduct(shop.deps);
    for (const path of [`/api/digital-products/${id}`, `/api/admin/products/${goods}`]) {
      expect((await admin.send('PUT', path, { name: 'Mine', version })).body.code).toBe('EDIT_CONFLICT');
    }
  });

  it('is accepted as an id in upper case', async () => {
    const { id } = await makeProduct(shop.deps);
    expect((await admin.get(`/api/admin/digital-products/${id.toUpperCase()}`)).status).toBe(200);
  });
});

describe('a search with pattern characters', () => {
  const words = ['50%', '_x_', '\\', '\\%', "O'Neil", '"; --', '%', '_', '%%', '[a-z]', '(.*)', '$1', '🎮'];

  it.each(words)('finds only the literal text %j', async (q) => {
    const name = `Zz ${q} aa`;
    const game = await makeProduct(shop.deps, { name });
    await makeProduct(shop.deps, { name: 'Zz plain aa' });
    await makeUser(shop.deps, { name });
    await makeParcel(shop.deps, { guest_name: name }, name);
    // Writes an entry of the audit log.
    await admin.send('PUT', `/api/digital-products/${game.id}`, { description: 'Touched' });
    for (const [list, path] of Object.entries(lists)) {
      // The lists of orders take fewer than three characters as the beginning of a name.
      const asked = list.includes('orders') || list === 'parcels' ? `Zz ${q}` : q;
      const { status, body } = await ask(path, { q: asked, limit: '200' });
      expect([list, status]).toEqual([list, 200]);
      const texts = (body.data ?? []).map((entry) => JSON.stringify(entry).toLowerCase());
      const inJson = JSON.stringify(q).slice(1, -1).toLowerCase();
      expect([list, texts.filter((text) => !text.includes(inJson))]).toEqual([list, []]);
      if (list !== 'digital orders') expect([list, texts.length]).not.toEqual([list, 0]);
    }
  });
});

describe('a header', () => {
  it.each([
    ['x-forwarded-for', 'no address'],
    ['x-forwarded-for', "1.2.3.4'; DROP TABLE sessions; --"],
    ['x-forwarded-for', ',,,'],
    ['x-forwarded-for', `::1%${'a'.repeat(2_000)}`],
    ['user-agent', `<script>alert(1)</script>${'x'.repeat(4_000)}`],
    ['user-agent', '\u00ff\u0080 =cmd|x'],
    ['cookie', 'checkout=%00%ED%A0%80; __Host-checkout="; x'],
    ['authorization', 'Bearer null'],
    ['if-none-match', '"\u00ff'],
    ['accept-encoding', '../../etc/passwd'],
    ['host', 'thief.example.com'],
    ['x-request-id', 'a\tlevel: 60'],
  ])('%s: %.40s causes no server error', async (header, value) => {
    const { email } = await makeUser(shop.deps);
    const visitor = createShopper(shop.url);
    const headers = { [header]: value };
    const login = { email, password: TEST_PASSWORD };
    expect((await visitor.send('POST', '/api/auth/login', login, headers)).status).toBe(200);
    for (const path of [
      '/api/digital-products',
      '/api/digital-orders/guest/checkout',
      `/api/digital-products/${uuidv7()}`,
    ]) {
      const { status } = await visitor.send('GET', path, undefined, headers);
      expect([path, status < 500]).toEqual([path, true]);
    }
  });
});
