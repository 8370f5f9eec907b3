import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAlert } from '../../src/server/features/alerts/alerts.queries.ts';
import { type Api, api } from '../../src/shared/api.ts';
import type { Endpoint } from '../../src/shared/endpoint.ts';
import {
  type MadeProduct,
  makeParcel,
  makePhysicalProduct,
  makeProduct,
  makeUser,
  TEST_PASSWORD,
} from '../factories.ts';
import {
  addressOf,
  fieldsOf,
  hostileTexts,
  type Input,
  noNumbers,
  noTexts,
  withValue,
} from '../hostile-inputs.ts';
import { type Bought, buy, type OrderDesk, openOrderDesk } from '../order-desk.ts';
import { createShopper, intentIdOf, orderItems, type Shopper, totalOf } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

let shop: TestShop;
let desk: OrderDesk;
let bought: Bought;
let regular: Shopper;
let shelf: MadeProduct;
let places: string;
beforeAll(async () => {
  shop = await startTestShop({ settings: { OPEN_REGISTRATION: 'true' } });
  desk = await openOrderDesk(shop);
  bought = await buy(shop, { quantity: 60, items: 100, warranty_days: 30, price_cents: 100 });
  regular = await customer();
  shelf = await makeProduct(shop.deps, { items: 100 });
  places = await placesOfText();
});
afterAll(() => shop.stop());

interface Call extends Input {
  by?: Shopper;
}

const visitor = () => createShopper(shop.url);
async function customer(): Promise<Shopper> {
  const shopper = visitor();
  await shopper.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
  return shopper;
}
const newEmail = () => `${uuidv7()}@example.com`;
const password = 'a-password-of-mine';
const nowhere = '01900000-0000-7000-8000-000000000000';
const link = 'x'.repeat(43);
const day = '2026-03-01';
const moment = '2026-03-01T00:00:00Z';
const page = { q: 'x', limit: '5', cursor: cursorOf('2026-01-01 00:00:00+00', nowhere) };
const discount = { type: 'fixed', value: 1, startDate: moment, endDate: '2040-01-01T00:00:00Z' };

function cursorOf(...values: unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

const digital = () => ({
  draft: uuidv7(),
  name: 'Night Train',
  description: 'A game',
  price: 12.5,
  category: 'Steam Keys',
  image: 'https://images.example.com/train.png',
  deliveryInstructions: 'Open it',
  warranty: 1,
});
const physical = () => ({
  draft: uuidv7(),
  name: 'Mouse',
  description: 'Of wood',
  brand: 'Kayu',
  category: 'Mice',
  image: '/covers/mouse.svg',
  price: 20,
  stock: 3,
  isActive: true,
});
const product = async () => ({ id: (await makeProduct(shop.deps)).id });
const item = async (): Promise<Call> => {
  const { id } = await makeProduct(shop.deps);
  const row = shop.deps.db.selectFrom('items').select('id').where('product_id', '=', id);
  const itemId = (await row.executeTakeFirstOrThrow()).id;
  return { by: desk.admin, params: { id, itemId }, body: { reason: 'Faulty', code: '000000' } };
};
const soldItem = async () =>
  (await desk.page(bought.orderId)).lines[0]?.items.find(({ state }) => state === 'sold')?._id ?? '';
const alert = async (): Promise<Input> => {
  const about = { kind: 'dispute', subject: uuidv7(), order_id: null } as const;
  await insertAlert(shop.deps.db, about, shop.deps.clock.now());
  const row = shop.deps.db.selectFrom('alerts').select('id').where('subject', '=', about.subject);
  return { params: await row.executeTakeFirstOrThrow(), body: { reason: 'Answered' } };
};
const asAdmin = (input: Input): Call => ({ by: desk.admin, ...input });
const shopping = () => [{ product: shelf, quantity: 1 }];

async function paid(guest?: { email: string }): Promise<Call> {
  const cart = shopping();
  const by = guest ? visitor() : await customer();
  const { clientSecret = '' } = (await by.openPayment(cart, guest)).body;
  await by.confirmCard(clientSecret);
  const body = {
    orderItems: orderItems(cart).map((line) => ({ ...line, image: '/x.svg' })),
    contactEmail: 'told@example.com',
    paymentMethod: 'card',
    paymentResult: { id: intentIdOf(clientSecret), status: 'succeeded' },
    totalPrice: totalOf(cart),
    itemsPrice: 10,
    taxPrice: 0.6,
  };
  const address = { street: 'A', city: 'B', state: 'C', zipCode: 'D', country: 'E' };
  const more = {
    guestEmail: guest?.email,
    guestName: 'G',
    guestPassword: password,
    shippingAddress: address,
  };
  // A guest's other browser, for which no password is set again each time.
  return guest ? { body: { ...body, ...more } } : { by, body };
}

/** A call of each endpoint that takes a text, which gets past its validation. */
const calls: { [Name in keyof Api]?: () => Call | Promise<Call> } = {
  getInfoPage: () => ({ params: { slug: 'about' } }),
  listDigitalProducts: () => ({
    query: { category: 'VPN', sort: 'newest', ids: nowhere, ...page },
  }),
  getDigitalProduct: async () => ({ params: await product() }),
  createPaymentIntent: () => ({
    by: regular,
    body: { orderItems: orderItems(shopping()), totalPrice: 10.6, contactEmail: 'a@example.com' },
  }),
  createGuestPaymentIntent: async () => ({
    body: {
      ...{ orderItems: orderItems(shopping()), totalPrice: 10.6 },
      ...{ guestEmail: newEmail(), guestName: 'Aminah', guestPhone: '012' },
    },
  }),
  placeOrder: () => paid(),
  placeGuestOrder: () => paid({ email: newEmail() }),
  finishCheckout: () => ({ body: { password } }),
  abandonCheckout: () => ({ by: bought.buyer, body: { orderId: bought.orderId, pageIsClosed: false } }),
  getOrderItems: () => ({ by: bought.buyer, params: { orderId: bought.orderId } }),

  login: async () => ({ body: { email: (await makeUser(shop.deps)).email, password: TEST_PASSWORD } }),
  register: () => ({ body: { name: 'Aminah', email: newEmail(), password } }),
  updateDetails: async () => {
    const user = await makeUser(shop.deps);
    const by = visitor();
    await by.signIn(user.email, TEST_PASSWORD);
    const address = { street: 'A', city: 'B', state: 'C', zipCode: 'D', country: 'E' };
    return { by, body: { name: 'Aminah', email: user.email, phone: '012', address } };
  },
  updatePassword: async () => ({
    by: await customer(),
    body: { currentPassword: TEST_PASSWORD, newPassword: password },
  }),
  forgotPassword: () => ({ body: { email: newEmail() } }),
  resetPassword: () => ({ body: { resetToken: link, password } }),
  confirmEmail: () => ({ by: regular, body: { confirmToken: link } }),
  undoEmail: () => ({ body: { undoToken: link, code: '000000' } }),
  reauthenticate: async () => ({ by: await customer(), body: { code: '000000' } }),
  claimAccount: () => ({ body: { claimToken: link, password } }),
  endSession: () => ({ by: regular, params: { id: nowhere } }),
  verifyTwoFactor: async () => ({ by: await customer(), body: { token: '000000' } }),
  disableTwoFactor: async () => ({ by: await customer(), body: { password: TEST_PASSWORD } }),
  renewBackupCodes: async () => ({ by: await customer(), body: { password: TEST_PASSWORD } }),
  addToCart: async () => ({
    by: regular,
    body: { productId: (await product()).id, quantity: 1 },
  }),
  setCartQuantity: async () => ({ by: regular, params: await product(), body: { quantity: 1 } }),
  removeFromCart: async () => ({ by: regular, params: await product() }),
  lookUpOrder: () => ({ body: { email: newEmail(), orderNumber: '#01234567' } }),
  openLookup: () => ({ body: { lookupId: nowhere, code: '000000' } }),

  acknowledgeAlert: async () => asAdmin(await alert()),
  getSales: () => asAdmin({ query: { days: '7' } }),
  listAllDigitalProducts: () => asAdmin({ query: { status: 'active', ...page } }),
  getProductToEdit: async () => asAdmin({ params: await product() }),
  createDigitalProduct: () => asAdmin({ body: digital() }),
  updateDigitalProduct: async () => {
    const flashSale = { price: 1, startDate: moment, endDate: discount.endDate, limitedStock: 5 };
    const { draft: _, ...body } = digital();
    return asAdmin({ params: await product(), body: { ...body, discount, flashSale, version: 1 } });
  },
  deleteDigitalProduct: async () => asAdmin({ params: await product() }),
  addInventory: async () => asAdmin({ params: await product(), body: { items: ['KEY'], dryRun: false } }),
  getInventory: async () =>
    asAdmin({ params: await product(), query: { limit: '5', cursor: nowhere, state: 'sold' } }),
  voidItem: item,
  revealItem: item,
  listPhysicalProducts: () => asAdmin({ query: { status: 'active', ...page } }),
  getPhysicalProduct: async () => asAdmin({ params: { id: await makePhysicalProduct(shop.deps) } }),
  createPhysicalProduct: () => asAdmin({ body: physical() }),
  updatePhysicalProduct: async () => {
    const { draft: _, ...body } = physical();
    return asAdmin({ params: { id: await makePhysicalProduct(shop.deps) }, body: { ...body, version: 1 } });
  },
  deletePhysicalProduct: async () => asAdmin({ params: { id: await makePhysicalProduct(shop.deps) } }),
  listAdminOrders: () => asAdmin({ query: { ...page, from: day, to: day, status: 'Cancelled' } }),
  listAllPhysicalOrders: () => asAdmin({ query: { ...page, from: day, to: day, status: 'Shipped' } }),
  listAllDigitalOrders: () => asAdmin({ query: { ...page, from: day, to: day, status: 'Delivered' } }),
  getAdminOrder: () => asAdmin({ params: { id: bought.orderId } }),
  updateOrderStatus: async () => {
    const body = { status: 'Shipped', carrier: 'Pos Laju', trackingNumber: 'EP1', reason: 'None' };
    return asAdmin({ params: { id: await makeParcel(shop.deps) }, body });
  },
  refundOrder: async () => {
    const line = (await desk.page(bought.orderId)).lines[0]?._id;
    return asAdmin({
      params: { id: bought.orderId },
      body: { reason: 'Faulty', lines: [{ line, quantity: 1 }] },
    });
  },
  replaceItem: async () =>
    asAdmin({ params: { id: bought.orderId }, body: { item: await soldItem(), reason: 'Faulty' } }),
  resendOrderMail: () => asAdmin({ params: { id: bought.orderId } }),
  listUsers: () => asAdmin({ query: page }),
  getUser: async () => asAdmin({ params: { id: (await makeUser(shop.deps)).id } }),
  updateRole: async () =>
    asAdmin({ params: { id: (await makeUser(shop.deps)).id }, body: { role: 'admin' } }),
  updateBlock: async () =>
    asAdmin({ params: { id: (await makeUser(shop.deps)).id }, body: { blocked: true, reason: 'Fraud' } }),
  getReport: () => asAdmin({ params: { kind: 'orders' }, query: { from: day, to: day } }),
  listAuditLog: () => asAdmin({ query: { ...page, cursor: cursorOf('5'), from: day, to: day } }),
};

/** Read, but never kept, at least not in clear: what the browser only tells, and secrets. */
const notKept: { [Name in keyof Api]?: RegExp } = {
  createPaymentIntent: /name$/,
  createGuestPaymentIntent: /name$/,
  placeOrder: /name|image|paymentMethod|status/,
  placeGuestOrder: /.*/,
  login: /Token/,
  register: /password/,
  updatePassword: /newPassword/,
  addInventory: /items/,
  updateOrderStatus: /reason/,
};

/** Every text of every table, as queries. */
async function placesOfText(): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    SELECT format('SELECT %2$I::text AS text FROM %1$I.%3$I WHERE %2$I::text LIKE ''%%@#%%''', table_schema, column_name, table_name) AS place
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE data_type IN ('text', 'character varying', 'jsonb') AND table_type = 'BASE TABLE'
      AND table_schema NOT IN ('pg_catalog', 'information_schema')`.execute(shop.deps.db);
  return rows.map(({ place }) => place).join(' UNION ALL ');
}

/** Which of these texts stand anywhere in the database. */
async function keptOf(texts: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ text: string }>`${sql.raw(places)}`.execute(shop.deps.db);
  return new Set(texts.filter((text) => rows.some((row) => row.text.includes(text))));
}

const isRead = ({ method }: Endpoint) => method === 'GET';
const textsOf = (endpoint: Endpoint) => fieldsOf(endpoint).filter(({ type }) => type === 'text');
const attacked = Object.entries<Endpoint>(api).filter(([, endpoint]) => textsOf(endpoint).length > 0);

it('knows a call of every endpoint that takes a text', () => {
  expect(Object.keys(calls).sort()).toEqual(attacked.map(([name]) => name).sort());
});

let tries = 0;

const send = (endpoint: Endpoint, { by = visitor(), ...input }: Call) =>
  by.send(endpoint.method, addressOf(endpoint, input), input.body);

describe('whatever somebody types', () => {
  it.each(attacked)('into %s is refused or kept as it is', { timeout: 120_000 }, async (name, endpoint) => {
    const make = async () => (await calls[name as keyof Api]?.()) as Call;
    let call = await make();
    const plain = await send(endpoint, call);
    expect(plain.status).toBeLessThan(500);
    expect(plain.body.code).not.toBe('VALIDATION_FAILED');
    if (plain.status < 300 && !name.startsWith('place')) call = await make();

    const faults: string[] = [];
    const refused: string[] = [];
    const taken: { text: string; keep: boolean; where: string }[] = [];
    for (const field of textsOf(endpoint)) {
      const where = `${field.part}.${field.path.join('.')}`;
      for (const [what, value] of Object.entries(hostileTexts)) {
        tries += 1;
        const marked = `${value}@#${tries}#`;
        const { status } = await send(endpoint, { ...call, ...withValue(call, field, marked) });
        if (status >= 500) faults.push(`${where}: ${what} answers ${status}`);
        if (status >= 300) refused.push(marked);
        else if (!isRead(endpoint)) {
          const keep = !notKept[name as keyof Api]?.test(where);
          taken.push({ text: marked, keep, where: `${where}: ${what}` });
          if (!name.startsWith('place')) call = await make();
        }
      }
    }
    for (const field of fieldsOf(endpoint)) {
      if (field.part !== 'body' || call.body?.[String(field.path[0])] === undefined) continue;
      for (const [what, value] of Object.entries(field.type === 'text' ? noTexts : noNumbers)) {
        // What a browser says of money is only compared.
        if (what === 'beyond all' && /[pP]rice$/.test(field.path.join('.')) && /Order|Intent/.test(name))
          continue;
        const { status } = await send(endpoint, { ...call, ...withValue(call, field, value) });
        if (status !== 400) faults.push(`${field.path.join('.')}: ${what} answers ${status}`);
      }
    }
    expect(faults).toEqual([]);
    const kept = await keptOf([...refused, ...taken.map(({ text }) => text)]);
    expect(taken.filter(({ text, keep }) => kept.has(text) !== keep).map(({ where }) => where)).toEqual([]);
    expect(refused.filter((text) => kept.has(text))).toEqual([]);
  });
});
