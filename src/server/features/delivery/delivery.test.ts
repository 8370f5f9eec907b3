import { describe, expect, test } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { checkBooksOf } from '../../../../test/books.ts';
import { makeGoods, makeProduct, makeSharedProduct } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper, GUEST_PASSWORD, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { makeUserWithTwoFactor } from '../../../../test/two-factor.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';

const shop = await openTestShop();
const desk = await openAdminOrders(shop);

let guests = 0;
type Product = Awaited<ReturnType<typeof makeProduct>>;

/** A guest buys units of products and is signed in. */
async function buy(...cart: [Product, number][]) {
  guests += 1;
  const email = `reader-${guests}@example.com`;
  const buyer = createShopper(shop.url);
  const entries = cart.map(([product, quantity]) => ({ product, quantity }));
  const { orderId } = await buyer.buy(entries, { email, password: GUEST_PASSWORD });
  return { orderId, buyer, email };
}

const makeManual = (overrides: Parameters<typeof makeProduct>[1] = {}) =>
  makeProduct(shop.deps, { items: 0, delivery: 'manual', ...overrides });
const stockOf = async ({ id }: Product) => {
  const { body } = await createShopper(shop.url).get(`/api/digital-products?ids=${id}`);
  return (body.data as unknown as { stock: number }[])[0]?.stock;
};
const open = async (buyer: Shopper, orderId: string) =>
  (await buyer.get(`/api/digital-orders/${orderId}/items`)).body.data as unknown as DeliveredItems;
const lineOf = async (orderId: string, n = 0) => {
  const line = (await desk.page(orderId)).lines[n];
  if (!line) throw new Error(`Order ${orderId} has no line ${n}`);
  return line;
};
const refund = async (orderId: string, quantity: number) =>
  desk.act(orderId, 'refund', { reason: 'Asked', lines: [{ line: (await lineOf(orderId))._id, quantity }] });
const deliver = async (orderId: string, unit: number, content: string, draft?: string) =>
  desk.act(orderId, 'deliver-unit', { line: (await lineOf(orderId))._id, unit, content, draft });
const setContent = (product: Product, content: string) =>
  desk.admin.send('PUT', `/api/digital-products/${product.id}/content`, { content });

describe('a shared product', () => {
  test('is on sale once it has content, and each unit sold is a separate item', async () => {
    const course = await makeProduct(shop.deps, { items: 0, delivery: 'shared' });
    expect(await stockOf(course)).toBe(0);
    const early = await createShopper(shop.url).openPayment([{ product: course, quantity: 1 }], {
      email: 'e@example.com',
    });
    expect(early.body.code).toBe('OUT_OF_STOCK');
    expect(await setContent(course, 'https://example.com/1')).toMatchObject({
      status: 200,
      body: { data: { version: 1 } },
    });
    expect(await stockOf(course)).toBe(1_000_000);

    const [one, other] = [await buy([course, 2]), await buy([course, 1])];
    expect(await one.buyer.readKeys(one.orderId)).toEqual(['https://example.com/1', 'https://example.com/1']);
    await setContent(course, 'https://example.com/2');
    expect(await other.buyer.readKeys(other.orderId)).toEqual(['https://example.com/1']);
    const later = await buy([course, 1]);
    expect(await later.buyer.readKeys(later.orderId)).toEqual(['https://example.com/2']);
    const items = await shop.deps.db.selectFrom('items').selectAll().where('product_id', '=', course.id).execute();
    expect(new Set(items.map(({ content_hmac }) => content_hmac.toString('hex'))).size).toBe(4);
    expect((await desk.page(one.orderId)).status).toBe('Delivered');
  });

  test('with a limit sells that many units; an unread unit returns to the limit after a refund, a read one does not', async () => {
    const course = await makeSharedProduct(shop.deps, { stock: 3 });
    const [unread, read] = [await buy([course, 1]), await buy([course, 2])];
    expect(await stockOf(course)).toBe(0);
    const late = await createShopper(shop.url).openPayment([{ product: course, quantity: 1 }], {
      email: 'l@example.com',
    });
    expect(late.body.code).toBe('OUT_OF_STOCK');
    await read.buyer.readKeys(read.orderId);
    await refund(unread.orderId, 1);
    expect(await stockOf(course)).toBe(1);
    await refund(read.orderId, 1);
    expect(await stockOf(course)).toBe(1);
    expect(await read.buyer.readKeys(read.orderId)).toHaveLength(1);
    expect(await unread.buyer.readKeys(unread.orderId)).toEqual([]);
  });

  test('can lose its limit and get a new one while orders are open', async () => {
    const course = await makeSharedProduct(shop.deps, { stock: 2 });
    const limit = (stock: number | null) => desk.admin.send('PUT', `/api/digital-products/${course.id}`, { stock });
    const held = createShopper(shop.url);
    const { orderId } = await held.authorise([{ product: course, quantity: 1 }], { email: 'held@example.com' });
    expect((await limit(null)).status).toBe(200);
    const endless = await buy([course, 5]);
    expect((await limit(4)).status).toBe(200);
    expect(await stockOf(course)).toBe(4);
    await refund(endless.orderId, 2);
    expect(await stockOf(course)).toBe(4);
    expect((await desk.act(orderId, 'status', { status: 'Cancelled' })).status).toBe(409);
    expect(await stockOf(course)).toBe(4);
  });

  test('replaces a faulty copy with the newest content, for the same unit', async () => {
    const course = await makeSharedProduct(shop.deps, { stock: null, warranty_days: 30, content: 'dead link' });
    const { orderId, buyer } = await buy([course, 1]);
    await buyer.readKeys(orderId);
    await setContent(course, 'new link');
    const [item] = (await lineOf(orderId)).items;
    expect((await desk.act(orderId, 'replace-item', { item: item?._id, reason: 'Dead' })).status).toBe(200);
    expect((await open(buyer, orderId)).items[0]?.items).toMatchObject([
      { number: 1, isReplacement: true, content: 'new link' },
    ]);
  });

  test('accepts no uploaded items, and a returned copy is never sold again', async () => {
    const course = await makeSharedProduct(shop.deps, { stock: null });
    const upload = await desk.admin.post(`/api/digital-products/${course.id}/inventory`, { items: ['KEY'] });
    expect(upload.status).toBe(404);
    const { orderId } = await buy([course, 1]);
    const [item] = (await lineOf(orderId)).items;
    await desk.act(orderId, 'refund', { reason: 'Asked' });
    const path = `/api/digital-products/${course.id}/inventory/${item?._id}`;
    const game = await makeProduct(shop.deps);
    for (const [verb, body] of [
      ['restore', {}],
      ['move', { product: game.id }],
      ['void', {}],
    ] as const) {
      const answer = await desk.admin.post(`${path}/${verb}`, { reason: 'Again', ...body });
      expect([answer.status, answer.body.code]).toEqual([409, 'ITEM_NOT_AVAILABLE']);
    }
  });

  test('rejects content from a stale version of the form', async () => {
    const course = await makeProduct(shop.deps, { items: 0, delivery: 'shared' });
    const set = (content: string, version: number) =>
      desk.admin.send('PUT', `/api/digital-products/${course.id}/content`, { content, version });
    const answers = await Promise.all([set('by Anna', 0), set('by Ben', 0)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { orderId, buyer } = await buy([course, 1]);
    const [kept] = ['by Anna', 'by Ben'].filter((_, index) => answers[index]?.status === 200);
    expect((await open(buyer, orderId)).items[0]?.items).toMatchObject([{ content: kept }]);
    expect((await set('by Chong', 0)).body.code).toBe('EDIT_CONFLICT');
    expect((await set('by Chong', 1)).body.data).toMatchObject({ version: 2 });
  });

  test('shows its content to an administrator with a code and a reason, and records the reading', async () => {
    const course = await makeSharedProduct(shop.deps, { stock: null, content: 'the-shared-secret' });
    const admin = await makeUserWithTwoFactor(shop, { role: 'admin' });
    const reveal = (code: string) =>
      admin.shopper.post(`/api/digital-products/${course.id}/content/reveal`, { code, reason: 'A buyer asks' });
    expect((await reveal(admin.code(9))).body.code).toBe('INVALID_CODE');
    expect((await reveal(admin.code())).body.data).toEqual({ content: 'the-shared-secret' });
    const log = await readAuditOf(shop.deps.db, course.id);
    expect(log).toMatchObject([{ action: 'product.content-revealed', actor: admin.user.email }]);
    expect(JSON.stringify(log)).not.toContain('the-shared-secret');
  });
});

describe('a manually delivered product', () => {
  test('stays Processing until an administrator delivers each unit, once however often the form is sent', async () => {
    const topUp = await makeManual({ name: 'Gems' });
    const { orderId, buyer, email } = await buy([topUp, 2]);
    expect(await desk.page(orderId)).toMatchObject({ status: 'Processing', waitingUnits: 2, allowed: [] });
    expect((await lineOf(orderId)).waitingUnits).toEqual([1, 2]);
    const listed = await desk.list('digital', { status: 'Processing' });
    expect(listed.data.map(({ _id }) => _id)).toContain(orderId);
    expect((await open(buyer, orderId)).items[0]?.items).toEqual([]);
    const [first] = await mailsTo(shop, email);
    expect(first?.subject).toMatch(/is confirmed$/);

    const draft = crypto.randomUUID();
    const sent = await Promise.all([deliver(orderId, 2, 'GEMS-2', draft), deliver(orderId, 2, 'GEMS-2', draft)]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    expect((await deliver(orderId, 2, 'OTHER')).body.code).toBe('TRANSITION_REFUSED');
    expect((await deliver(orderId, 3, 'OTHER')).body.code).toBe('TRANSITION_REFUSED');
    expect((await lineOf(orderId)).waitingUnits).toEqual([1]);
    expect((await deliver(orderId, 1, 'GEMS-1')).page).toMatchObject({ status: 'Delivered', waitingUnits: 0 });
    expect(await buyer.readKeys(orderId)).toEqual(['GEMS-1', 'GEMS-2']);
    const mails = await mailsTo(shop, email);
    expect(mails).toHaveLength(3);
    expect(mails.map(({ text }) => text).join()).not.toMatch(/GEMS-\d/);
    const delivered = await desk.list('digital', { status: 'Delivered' });
    expect(delivered.data.map(({ _id }) => _id)).toContain(orderId);
  });

  test('is not delivered when the form is resent with other content or for another unit', async () => {
    const { orderId, buyer } = await buy([await makeManual(), 2]);
    const draft = crypto.randomUUID();
    await deliver(orderId, 1, 'LINK-1', draft);
    for (const other of [await deliver(orderId, 1, 'LINK-2', draft), await deliver(orderId, 2, 'LINK-1', draft)]) {
      expect(other).toMatchObject({ status: 409, body: { code: 'TRANSITION_REFUSED', field: 'draft' } });
    }
    expect((await deliver(orderId, 1, ' LINK-1\n', draft)).status).toBe(200);
    expect((await lineOf(orderId)).waitingUnits).toEqual([2]);
    expect(await buyer.readKeys(orderId)).toEqual(['LINK-1']);
  });

  test('is delivered once when one form is sent for two orders concurrently', async () => {
    const [one, other] = [await buy([await makeManual(), 1]), await buy([await makeManual(), 1])];
    const draft = crypto.randomUUID();
    // The entry of the audit log is the last statement of a delivery, which waits with everything else written.
    const answers = await startWhileLocked(
      shop.deps.db,
      lockAndFindLastEntry,
      [one, other].map(
        ({ orderId }) =>
          () =>
            deliver(orderId, 1, 'LINK-1', draft),
      ),
    );
    expect(answers[0]).toMatchObject({ status: 200 });
    expect(answers[1]).toMatchObject({ status: 409, body: { code: 'TRANSITION_REFUSED', field: 'draft' } });
    expect((await lineOf(other.orderId)).waitingUnits).toEqual([1]);
  });

  test('can be refunded while it waits, returns to its limit, and is not delivered afterwards', async () => {
    const topUp = await makeManual({ stock: 3 });
    const { orderId, buyer } = await buy([topUp, 3]);
    await deliver(orderId, 1, 'DONE-1');
    await refund(orderId, 1);
    // The first of the two waiting units is returned.
    expect((await lineOf(orderId)).waitingUnits).toEqual([3]);
    expect(await stockOf(topUp)).toBe(1);
    expect((await deliver(orderId, 2, 'LATE')).body.code).toBe('TRANSITION_REFUSED');
    expect(await buyer.readKeys(orderId)).toEqual(['DONE-1']);
    await desk.act(orderId, 'refund', { reason: 'All of it' });
    expect((await deliver(orderId, 3, 'LATE')).body.code).toBe('TRANSITION_REFUSED');
    // Units that a person has delivered do not return to the stock.
    expect(await stockOf(topUp)).toBe(2);
    expect((await desk.page(orderId)).waitingUnits).toBe(0);
  });

  test('together with a key: the key is delivered at once, and a refund takes the waiting unit first', async () => {
    const [game, topUp] = [await makeProduct(shop.deps, { items: 1 }), await makeManual()];
    const { orderId, buyer, email } = await buy([game, 1], [topUp, 1]);
    expect(await buyer.readKeys(orderId)).toEqual(game.keys);
    expect((await mailsTo(shop, email))[0]?.text).toContain('a part of it is delivered');
    expect((await desk.page(orderId)).status).toBe('Processing');
    const line = (await lineOf(orderId, 1))._id;
    await desk.act(orderId, 'refund', { reason: 'No stock', lines: [{ line, quantity: 1 }] });
    expect((await desk.page(orderId)).status).toBe('Delivered');
  });

  test('together with goods to ship: the mails speak of a part of the order', async () => {
    const { orderId, email } = await buy([await makeManual(), 1], [await makeGoods(shop.deps, 'physical', 1), 1]);
    const lastSubject = async () => (await mailsTo(shop, email)).at(-1)?.subject;
    await desk.act(orderId, 'ship', { carrier: 'DHL', trackingNumber: 'MUG-1' });
    expect(await lastSubject()).toMatch(/^A part of your order \w+ is on its way$/);
    await deliver(orderId, 1, 'GEMS');
    expect(await lastSubject()).toMatch(/^A part of your order \w+ is delivered$/);
  });

  test('is replaced by the content that the administrator enters', async () => {
    const topUp = await makeManual({ warranty_days: 30 });
    const { orderId, buyer } = await buy([topUp, 1]);
    await deliver(orderId, 1, 'WRONG');
    const [item] = (await lineOf(orderId)).items;
    const replace = (content?: string) =>
      desk.act(orderId, 'replace-item', { item: item?._id, reason: 'Wrong', content });
    expect((await replace()).body.code).toBe('VALIDATION_FAILED');
    expect((await replace('RIGHT')).status).toBe(200);
    expect(await buyer.readKeys(orderId)).toEqual(['RIGHT']);
  });
});

describe('buyer fields of a product', () => {
  const fields = [
    { label: 'Player ID', kind: 'text', required: true, choices: [] },
    { label: 'Server', kind: 'choice', required: false, choices: ['Asia', 'Europe'] },
  ];

  test('are answered before payment, stored encrypted, and shown to the buyer and the shop', async () => {
    const gems = await makeManual({ buyer_fields: JSON.stringify(fields), region: 'Asia', platform: 'Android' });
    const buyer = createShopper(shop.url);
    const guest = { email: 'asked@example.com', password: GUEST_PASSWORD };
    const openWith = (...answers: { label: string; value: string }[]) =>
      buyer.post('/api/digital-orders/guest/create-payment-intent', {
        orderItems: [{ product: gems.id, name: gems.name, quantity: 1, price: gems.price, answers }],
        guestEmail: guest.email,
        guestName: 'Asked',
      });
    const id = { label: 'Player ID', value: 'P-4711' };
    for (const answers of [[], [{ ...id, value: ' ' }], [id, { label: 'Server', value: 'Moon' }]]) {
      expect((await openWith(...answers)).body).toMatchObject({ code: 'VALIDATION_FAILED', field: 'answers' });
    }
    const first = await openWith(id, { label: 'Shoe size', value: '44' });
    const other = { label: 'Server', value: 'Asia' };
    const changed = await openWith(id, other);
    const again = await openWith(other, id);
    expect(changed.body.orderId).not.toBe(first.body.orderId);
    expect(again.body.orderId).toBe(changed.body.orderId);

    await buyer.confirmCard(again.body.clientSecret ?? '');
    const cart = [{ product: gems, quantity: 1 }];
    const placed = await buyer.placeOrder(cart, again.body.clientSecret ?? '', guest);
    buyer.setToken(placed.body.data?.token);
    const orderId = again.body.orderId ?? '';
    const known = { answers: [id, other], region: 'Asia', platform: 'Android' };
    expect(await lineOf(orderId)).toMatchObject(known);
    expect((await open(buyer, orderId)).items[0]).toMatchObject({ ...known, waitingNumbers: [1] });
    const rows = await shop.deps.db.selectFrom('buyer_answers').selectAll().execute();
    expect(rows.map(({ ciphertext }) => ciphertext.toString('latin1')).join()).not.toContain('P-4711');
  });
});

test('the books add up after all tests above', async () => {
  const { faults, checked } = await checkBooksOf(shop.deps);
  expect(faults.filter(({ invariant }) => invariant !== 'outcome')).toEqual([]);
  expect(checked.orders).toBeGreaterThan(10);
});
