import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertAlert } from '../../src/server/features/admin/alerts.queries.ts';
import { type Api, endpoints } from '../../src/shared/api.ts';
import type { NamedEndpoint } from '../../src/shared/endpoint.ts';
import { type AdminOrders, openAdminOrders } from '../admin-orders.ts';
import {
  type MadeProduct,
  makeGoods,
  makeParcel,
  makePhysicalProduct,
  makeProduct,
  makeUser,
  TEST_PASSWORD,
} from '../factories.ts';
import { addressOf, fieldsOf, hostileTexts, type Input, noNumbers, noTexts, withValue } from '../hostile-inputs.ts';
import { keptOf, notKept, placesOfText } from '../kept-texts.ts';
import { callsOfNotices } from '../owner-notices.ts';
import { callsOfReports, openReportDesk, type ReportDesk } from '../problem-reports.ts';
import { type Bought, buyAsGuest } from '../purchases.ts';
import { createShopper, intentIdOf, orderItems, type Shopper, TEST_ADDRESS, totalOf } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

let desk: AdminOrders;
let bought: Bought;
let reports: ReportDesk;
let regular: Shopper;
let shelf: MadeProduct;
let places: string;
const shop = await openTestShop({ settings: { OPEN_REGISTRATION: 'true' } });
beforeAll(async () => {
  desk = await openAdminOrders(shop);
  bought = await buyAsGuest(shop, { quantity: 60, items: 100, warranty_days: 30, price_cents: 100 });
  reports = await openReportDesk(shop);
  regular = await customer();
  shelf = await makeProduct(shop.deps, { items: 100 });
  places = await placesOfText(shop.deps.db);
});

type Call = Input & { by?: Shopper };

const visitor = () => createShopper(shop.url);
async function customer(): Promise<Shopper> {
  const shopper = visitor();
  await shopper.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
  return shopper;
}
const newEmail = () => `${uuidv7()}@example.com`;
const [password, nowhere] = ['a-password-of-mine', '01900000-0000-7000-8000-000000000000'];
const posted = { carrier: 'Pos Laju', trackingNumber: 'EP1', draft: nowhere };
const none = { id: nowhere, fileId: nowhere, orderId: nowhere, itemId: nowhere };
const [link, day] = ['x'.repeat(43), '2026-03-01'];
const failedRefund = { refund: nowhere, attempt: 1, reason: 'By bank transfer' };
const moment = '2026-03-01T00:00:00Z';
const cursorOf = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
const part = { limit: '5', cursor: cursorOf('2026-01-01 00:00:00+00', nowhere) };
const page = { q: 'x', ...part };
const discount = { type: 'fixed', value: 1, startDate: moment, endDate: '2040-01-01T00:00:00Z' };

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
/** Returns the call of item() for an item that is voided and keeps its key. */
const voidedItem = async (): Promise<Call> => {
  const call = await item();
  const itemId = String(Object(call.params).itemId);
  await shop.deps.db.updateTable('items').set({ state: 'voided' }).where('id', '=', itemId).execute();
  return call;
};
const withdrawnKey = async () => {
  const { id, keys } = await makeProduct(shop.deps);
  await shop.deps.db.updateTable('items').set({ state: 'voided' }).where('product_id', '=', id).execute();
  return keys[0] ?? '';
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
/** Returns a buyer's call that reviews a product. */
const reviewing = async () => {
  const { buyer, products } = await buyAsGuest(shop, { quantity: 1 });
  return { by: buyer, params: { productId: products[0]?.id }, body: { stars: 5, title: 'Good', text: 'It works' } };
};
/** Returns an administrator's call about a review that waits to be published. */
const waitingReview = async (): Promise<Call> => {
  const { by, params, body } = await reviewing();
  await by.send('PUT', `/api/my-reviews/${params.productId}`, body);
  const row = shop.deps.db
    .selectFrom('reviews')
    .select('id')
    .where('product_id', '=', params.productId ?? '');
  return asAdmin({ params: await row.executeTakeFirstOrThrow(), body: { version: 1 } });
};
const shopping = () => [{ product: shelf, quantity: 1 }];
const seenCart = () => ({ orderItems: orderItems(shopping()), totalPrice: 10.6 });
const onShelf = () => makeGoods(shop.deps, 'physical', 1);

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
  const address = { street: 'A', city: 'B', state: 'Perak', zipCode: '30000', country: 'Malaysia' };
  const more = { guestEmail: guest?.email, guestName: 'G', guestPassword: password, shippingAddress: address };
  // Each call comes from another browser of the guest, for which no password is set again each time.
  return guest ? { body: { ...body, ...more } } : { by, body };
}

/** Calls that pass validation, of the endpoints that take a text and for which `wordCall` does not pass it. */
const calls: { [Name in keyof Api]?: () => Call | Promise<Call> } = {
  'GET /info-pages/:slug': () => ({ params: { slug: 'about' } }),
  'GET /digital-products': () => ({ query: { category: 'VPN', sort: 'newest', ids: nowhere, ...page } }),
  'GET /digital-products/:id': async () => ({ params: await product() }),
  'GET /products': () => ({ query: { category: 'VPN', sort: 'newest', ids: nowhere, ...page } }),
  'GET /products/:id': async () => ({ params: { id: (await onShelf()).id } }),
  'POST /digital-orders/create-payment-intent': () => ({
    by: regular,
    body: { ...seenCart(), contactEmail: 'a@example.com', contactName: 'Aminah', contactPhone: '012' },
  }),
  'POST /digital-orders/guest/create-payment-intent': async () => ({
    body: { ...seenCart(), guestEmail: newEmail(), guestName: 'Aminah', guestPhone: '012' },
  }),
  'POST /orders/quote': () => ({ body: { orderItems: orderItems(shopping()), country: 'Malaysia' } }),
  'POST /orders/create-payment-intent': async () => ({
    by: regular,
    body: {
      ...{ orderItems: orderItems([{ product: await onShelf(), quantity: 1 }]), shippingAddress: TEST_ADDRESS },
      ...{ contactEmail: 'a@example.com', contactName: 'Aminah', contactPhone: '012' },
    },
  }),
  'POST /orders/guest/create-payment-intent': async () => ({
    body: {
      ...{ orderItems: orderItems([{ product: await onShelf(), quantity: 1 }]), shippingAddress: TEST_ADDRESS },
      ...{ guestEmail: newEmail(), guestName: 'Aminah', guestPhone: '012' },
    },
  }),
  'POST /orders': () => paid(),
  'POST /orders/guest': () => paid({ email: newEmail() }),
  'POST /digital-orders': () => paid(),
  'POST /digital-orders/guest': () => paid({ email: newEmail() }),
  'POST /digital-orders/guest/checkout': () => ({ body: { password } }),
  'POST /digital-orders/guest/checkout/abandon': () => ({
    by: bought.buyer,
    body: { orderId: bought.orderId, pageIsClosed: false },
  }),
  'GET /digital-orders/:orderId/items': () => ({ by: bought.buyer, params: { orderId: bought.orderId } }),
  'POST /auth/login': async () => ({ body: { email: (await makeUser(shop.deps)).email, password: TEST_PASSWORD } }),
  'POST /auth/register': () => ({ body: { name: 'Aminah', email: newEmail(), password } }),
  'PUT /auth/updatedetails': async () => {
    const user = await makeUser(shop.deps);
    const by = visitor();
    await by.signIn(user.email, TEST_PASSWORD);
    const address = { street: 'A', city: 'B', state: 'Perak', zipCode: '30000', country: 'Malaysia' };
    return { by, body: { name: 'Aminah', email: user.email, phone: '012', address } };
  },
  'PUT /auth/updatepassword': async () => ({
    by: await customer(),
    body: { currentPassword: TEST_PASSWORD, newPassword: password },
  }),
  'POST /auth/forgotpassword': () => ({ body: { email: newEmail() } }),
  'POST /auth/resetpassword': () => ({ body: { resetToken: link, password } }),
  'POST /auth/confirmemail': () => ({ by: regular, body: { confirmToken: link } }),
  'POST /auth/undoemail': () => ({ body: { undoToken: link, code: '000000' } }),
  'POST /auth/reauthenticate': async () => ({ by: await customer(), body: { code: '000000' } }),
  'POST /auth/claim': () => ({ body: { claimToken: link, password } }),
  'DELETE /auth/sessions/:id': () => ({ by: regular, params: { id: nowhere } }),
  'POST /auth/2fa/verify': async () => ({ by: await customer(), body: { token: '000000', madeAt: moment } }),
  'POST /auth/2fa/disable': async () => ({ by: await customer(), body: { password: TEST_PASSWORD } }),
  'POST /auth/2fa/backup-codes': async () => ({ by: await customer(), body: { password: TEST_PASSWORD } }),
  'POST /users/cart': async () => ({ by: regular, body: { productId: (await product()).id, quantity: 1 } }),
  'PUT /users/cart/:id': async () => ({ by: regular, params: await product(), body: { quantity: 1 } }),
  'DELETE /users/cart/:id': async () => ({ by: regular, params: await product() }),
  'POST /order-lookup/guest': () => ({ body: { email: newEmail(), orderNumber: '#01234567' } }),
  'POST /order-lookup/guest/open': () => ({ body: { lookupId: nowhere, code: '000000' } }),
  'POST /order-lookup/guest/download': () => ({ body: { itemId: nowhere } }),
  'GET /digital-orders/myorders': () => ({ by: regular, query: page }),
  'GET /orders/myorders': () => ({ by: regular, query: page }),
  'GET /orders/mine/:orderId': () => ({ by: regular, params: { orderId: nowhere } }),
  'POST /orders/mine/:orderId/cancel': () => ({ by: regular, params: { orderId: nowhere } }),
  'GET /orders/:orderId/receipts': () => ({ by: regular, params: { orderId: nowhere } }),
  'POST /digital-orders/:orderId/items/:itemId/download': () => ({ by: regular, params: none }),
  'GET /digital-products/:id/files': async () => asAdmin({ params: await product() }),
  'POST /digital-products/:id/files': async () =>
    asAdmin({ params: await product(), body: { name: 'book.pdf', mediaType: 'application/pdf', bytes: 10 } }),
  'PUT /digital-products/:id/files/:fileId/pieces/:piece': () =>
    asAdmin({ params: { ...none, piece: '0' }, query: { sha256: 'a'.repeat(64) } }),
  'POST /digital-products/:id/files/:fileId/publish': () => asAdmin({ params: none, body: {} }),
  'GET /digital-products/:id/content': async () => asAdmin({ params: await product() }),
  'PUT /digital-products/:id/content': async () =>
    asAdmin({ params: await product(), body: { content: 'A link', version: 0 } }),
  'POST /digital-products/:id/content/reveal': async () =>
    asAdmin({ params: await product(), body: { reason: 'Asked for', code: '000000' } }),
  'POST /admin/orders/:id/deliver-unit': () =>
    asAdmin({ params: { id: bought.orderId }, body: { line: nowhere, unit: 1, content: 'A link', draft: nowhere } }),
  'GET /reviews': async () => ({ query: { product: (await product()).id, cursor: part.cursor } }),
  'GET /my-reviews': async () => ({ by: regular, query: { product: (await product()).id } }),
  'PUT /my-reviews/:productId': reviewing,
  'DELETE /my-reviews/:productId': async () => ({ by: regular, params: { productId: (await product()).id } }),
  'GET /admin/reviews': () =>
    asAdmin({ query: { q: 'Mouse', state: 'pending', cursor: cursorOf('1', '2026-01-01 00:00:00+00', nowhere) } }),
  'POST /admin/reviews/:id/publish': waitingReview,
  'POST /admin/reviews/:id/reject': async () => ({ ...(await waitingReview()), body: { version: 1, reason: 'No' } }),
  'PUT /admin/reviews/:id/reply': async () => ({ ...(await waitingReview()), body: { version: 1, text: 'Thanks' } }),
  'POST /admin/alerts/:id/acknowledge': async () => asAdmin(await alert()),
  ...callsOfNotices(() => ({ shop, desk })),
  'GET /admin/sales': () => asAdmin({ query: { days: '7' } }),
  'GET /admin/digital-products': () => asAdmin({ query: { status: 'active', delivery: 'unique', ...page } }),
  'GET /admin/digital-products/:id': async () => asAdmin({ params: await product() }),
  'POST /digital-products': () => asAdmin({ body: digital() }),
  'PUT /digital-products/:id': async () => {
    const flashSale = { price: 1, startDate: moment, endDate: discount.endDate, limitedStock: 5 };
    const { draft: _, ...body } = digital();
    return asAdmin({ params: await product(), body: { ...body, discount, flashSale, version: 1 } });
  },
  'DELETE /digital-products/:id': async () => asAdmin({ params: await product() }),
  'POST /digital-products/:id/inventory': async () =>
    asAdmin({
      params: await product(),
      body: { items: [await withdrawnKey()], dryRun: false, restoreReason: 'Withdrawn' },
    }),
  'GET /digital-products/:id/inventory': async () =>
    asAdmin({ params: await product(), query: { limit: '5', cursor: cursorOf(nowhere), state: 'sold' } }),
  'POST /admin/inventory/search': () => asAdmin({ body: { content: 'KEY' } }),
  'POST /digital-products/:id/inventory/:itemId/void': item,
  'POST /digital-products/:id/inventory/:itemId/undo-void': async () => ({ ...(await voidedItem()), body: {} }),
  'POST /digital-products/:id/inventory/:itemId/restore': voidedItem,
  'POST /digital-products/:id/inventory/:itemId/move': async () => {
    const { body, ...move } = await item();
    return { ...move, body: { ...body, product: (await product()).id } };
  },
  'POST /digital-products/:id/inventory/:itemId/reveal': item,
  'GET /admin/products': () => asAdmin({ query: { status: 'active', ...page } }),
  'GET /admin/products/:id': async () => asAdmin({ params: { id: await makePhysicalProduct(shop.deps) } }),
  'POST /admin/products': () => asAdmin({ body: physical() }),
  'PUT /admin/products/:id': async () => {
    const { draft: _, ...body } = physical();
    return asAdmin({ params: { id: await makePhysicalProduct(shop.deps) }, body: { ...body, version: 1 } });
  },
  'DELETE /admin/products/:id': async () => asAdmin({ params: { id: await makePhysicalProduct(shop.deps) } }),
  'GET /admin/orders': () => asAdmin({ query: { ...page, from: day, to: day, status: 'Cancelled' } }),
  'GET /orders': () => asAdmin({ query: { ...page, from: day, to: day, status: 'Shipped' } }),
  'GET /admin/digital-orders': () => asAdmin({ query: { ...page, from: day, to: day, status: 'Delivered' } }),
  'GET /admin/orders/:id': () => asAdmin({ params: { id: bought.orderId } }),
  'PUT /admin/orders/:id/status': async () =>
    asAdmin({ params: { id: await makeParcel(shop.deps) }, body: { status: 'Shipped', ...posted, reason: 'None' } }),
  'POST /admin/orders/:id/ship': async () => {
    const id = await makeParcel(shop.deps);
    const line = (await desk.page(id)).lines[0]?._id;
    return asAdmin({ params: { id }, body: { ...posted, draft: uuidv7(), lines: [{ line, quantity: 1 }] } });
  },
  'POST /admin/orders/:id/deliver-parcel': () => asAdmin({ params: { id: bought.orderId }, body: { parcel: nowhere } }),
  'POST /admin/orders/:id/refund': async () => {
    const line = (await desk.page(bought.orderId)).lines[0]?._id;
    return asAdmin({ params: { id: bought.orderId }, body: { reason: 'Faulty', lines: [{ line, quantity: 1 }] } });
  },
  'POST /admin/orders/:id/retry-refund': () => asAdmin({ params: { id: bought.orderId }, body: failedRefund }),
  'POST /admin/orders/:id/settle-refund': () => asAdmin({ params: { id: bought.orderId }, body: failedRefund }),
  'POST /admin/orders/:id/notes': () => asAdmin({ params: { id: bought.orderId }, body: { text: 'Called' } }),
  'POST /admin/orders/:id/correct-email': () =>
    asAdmin({ params: { id: bought.orderId }, body: { email: newEmail(), reason: 'Mistyped', code: '000000' } }),
  'POST /admin/orders/:id/replace-item': async () =>
    asAdmin({ params: { id: bought.orderId }, body: { item: await soldItem(), reason: 'Faulty' } }),
  'POST /admin/orders/:id/unfreeze': () =>
    asAdmin({ params: { id: bought.orderId }, body: { reason: 'Settled', frozen: 'restore' } }),
  'POST /admin/orders/:id/evidence': () => asAdmin({ params: { id: bought.orderId } }),
  'POST /admin/orders/:id/resend-mail': () => asAdmin({ params: { id: bought.orderId }, body: { draft: uuidv7() } }),
  ...callsOfReports(() => reports),
  'POST /admin/shop/close': () => asAdmin({ body: { reason: 'Stocktaking', message: 'Back at noon' } }),
  'POST /admin/shop/open': async () => {
    await desk.admin.post('/api/admin/shop/close', { reason: 'Stocktaking' });
    return asAdmin({ body: { reason: 'Done' } });
  },
  'GET /admin/users': () => asAdmin({ query: page }),
  'GET /admin/users/:id': async () => asAdmin({ params: { id: (await makeUser(shop.deps)).id } }),
  'PUT /admin/users/:id/role': async () =>
    asAdmin({ params: { id: (await makeUser(shop.deps)).id }, body: { role: 'admin' } }),
  'PUT /admin/users/:id/block': async () =>
    asAdmin({ params: { id: (await makeUser(shop.deps)).id }, body: { blocked: true, reason: 'Fraud' } }),
  'GET /admin/reports/:kind': () => asAdmin({ params: { kind: 'orders' }, query: { from: day, to: day } }),
  'GET /admin/audit-log': () => asAdmin({ query: { ...page, cursor: cursorOf('5'), from: day, to: day } }),
};

/** Calls that place a paid order. They are repeated with the same order. */
const placing = new Set<string>([
  'POST /digital-orders',
  'POST /digital-orders/guest',
  'POST /orders',
  'POST /orders/guest',
]);

const isRead = ({ method }: NamedEndpoint) => method === 'GET';
const textsOf = (endpoint: NamedEndpoint) => fieldsOf(endpoint).filter(({ type }) => type === 'text');
const attacked = endpoints
  .map((endpoint) => [endpoint.name, endpoint] as const)
  .filter(([, endpoint]) => textsOf(endpoint).length > 0);

/** Returns a call with a word for each text of its path and query, by a visitor with the access that it needs. */
function wordCall(endpoint: NamedEndpoint): Call {
  const by = { public: visitor(), customer: regular, admin: desk.admin }[endpoint.access];
  const fields = textsOf(endpoint).filter(({ part }) => part !== 'body');
  return { by, ...fields.reduce<Input>((input, field) => withValue(input, field, 'word'), {}) };
}

it('the prepared calls are only for endpoints that accept text', () => {
  const names = new Set<string>(attacked.map(([name]) => name));
  expect(Object.keys(calls).filter((name) => !names.has(name))).toEqual([]);
});

let tries = 0;
function send(endpoint: NamedEndpoint, { by = visitor(), ...input }: Call) {
  const address = addressOf(endpoint, input);
  const mediaType = endpoint.upload?.[0];
  if (mediaType) return by.send(endpoint.method, address, 'a piece', { 'content-type': mediaType });
  return by.send(endpoint.method, address, input.body);
}

describe('hostile text', () => {
  // A call closes the shop, which would then refuse what later calls have to buy.
  beforeEach(() => shop.deps.db.deleteFrom('shop_closed').execute());
  it.each(attacked)('in %s is refused or stored unchanged', async (name, endpoint) => {
    const make = async () => (await calls[name as keyof Api]?.()) ?? wordCall(endpoint);
    let call = await make();
    const plain = await send(endpoint, call);
    expect(plain.status).toBeLessThan(500);
    expect(plain.body.code).not.toBe('VALIDATION_FAILED');
    if (plain.status < 300 && !placing.has(name)) call = await make();

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
          if (!placing.has(name)) call = await make();
        }
      }
    }
    for (const field of fieldsOf(endpoint)) {
      if (field.part !== 'body' || call.body?.[String(field.path[0])] === undefined) continue;
      for (const [what, value] of Object.entries(field.type === 'text' ? noTexts : noNumbers)) {
        // Amounts of money from the browser are only compared.
        if (what === 'beyond all' && /[pP]rice$/.test(field.path.join('.')) && /^POST .(digital-)?orders/.test(name))
          continue;
        const { status } = await send(endpoint, { ...call, ...withValue(call, field, value) });
        if (status !== 400) faults.push(`${field.path.join('.')}: ${what} answers ${status}`);
      }
    }
    expect(faults).toEqual([]);
    const kept = await keptOf(shop.deps.db, places, [...refused, ...taken.map(({ text }) => text)]);
    expect(taken.filter(({ text, keep }) => kept.has(text) !== keep).map(({ where }) => where)).toEqual([]);
    expect(refused.filter((text) => kept.has(text))).toEqual([]);
  });
});
