import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type MadeProduct, makeProduct } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import type { Shopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { makeUserWithTwoFactor } from '../../../../test/two-factor.ts';
import type { InventoryItem, ItemState } from '../../../shared/inventory.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { hasAlert } from '../admin/alerts.queries.ts';
import { revealOrder } from '../orders/reveal-items.ts';
import { insertReveals, lockItem, putOnSale } from './inventory.queries.ts';

const REASON = 'Asked for by the publisher';
const STEP_MS = 30_000;

let product: MadeProduct;
const shop = await openTestShop({ settings: { RATE_LIMITS: 'on' } });
const admin = await makeUserWithTwoFactor(shop, { role: 'admin' });
beforeEach(async () => {
  product = await makeProduct(shop.deps, { items: 1 });
});

const itemsOf = ({ id }: { id: string }) =>
  shop.deps.db.selectFrom('items').selectAll().where('product_id', '=', id).execute();
async function theItem() {
  const [item] = await itemsOf(product);
  if (!item) throw new Error('There is no item');
  return item;
}
const auditOf = (subjectId: string) => readAuditOf(shop.deps.db, subjectId);
const revealsOf = (itemId: string) =>
  shop.deps.db.selectFrom('reveals').selectAll().where('item_id', '=', itemId).orderBy('id').execute();

const send = (action: 'void' | 'reveal', itemId: string, body: object, by: Shopper = admin.shopper) =>
  by.post(`/api/digital-products/${product.id}/inventory/${itemId}/${action}`, body);
const voidIt = (itemId: string, reason = REASON) => send('void', itemId, { reason });
const reveal = (itemId: string, code: string, by?: Shopper) => send('reveal', itemId, { code, reason: REASON }, by);

/** Puts the item on sale concurrently, as another administrator: as an item of its product, or of another product. */
const putItOnSale = (itemId: string, productId: string) => async (trx: Transaction) => {
  const { key_id, nonce, ciphertext } = await lockItem(trx, itemId);
  const items = [{ id: itemId, key_id, nonce, ciphertext }];
  await putOnSale(trx, { productId, items, now: shop.deps.clock.now() });
};

async function openPayment() {
  const buyer = await signedIn(shop);
  const cart = [{ product, quantity: 1 }];
  const opened = await buyer.openPayment(cart);
  return {
    buyer,
    opened,
    pay: async () => {
      await buyer.confirmCard(opened.body.clientSecret ?? '');
      const { body } = await buyer.placeOrder(cart, opened.body.clientSecret ?? '');
      return (body.data as unknown as { _id: string })._id;
    },
  };
}

describe('voiding', () => {
  test('removes an unsold item from the stock for good and records the reason', async () => {
    const { id } = await theItem();
    expect((await voidIt(id)).status).toBe(200);
    expect(await theItem()).toMatchObject({ state: 'voided', void_reason: REASON });
    expect(await auditOf(id)).toMatchObject([
      {
        action: 'item.voided',
        actor: admin.user.email,
        subject_type: 'item',
        summary: `Took an unsold item of "${product.name}" out of the stock: ${REASON}`,
      },
    ]);
    expect((await openPayment()).opened.body.code).toBe('OUT_OF_STOCK');
  });

  test('records a reason that names the key with the key masked', async () => {
    const { id } = await theItem();
    await voidIt(id, `${product.keys[0]} was sold elsewhere`);
    const reason = expect.stringMatching(/(^|: )KEY-•+\S+ was sold elsewhere$/);
    expect(await theItem()).toMatchObject({ void_reason: reason });
    expect(await auditOf(id)).toMatchObject([{ summary: reason }]);
  });

  test.each<[ItemState, number]>([
    ['quarantined', 200],
    ['burnt', 409],
    ['voided', 409],
  ])('an item that is %s gets %i', async (state, status) => {
    const { id } = await theItem();
    await shop.deps.db.updateTable('items').set({ state }).where('id', '=', id).execute();
    expect((await voidIt(id)).status).toBe(status);
    expect((await theItem()).state).toBe(status === 200 ? 'voided' : state);
  });

  test('leaves an item that a buyer holds or has bought unchanged', async () => {
    const { id } = await theItem();
    const { pay } = await openPayment();
    expect(await voidIt(id)).toMatchObject({ status: 409, body: { code: 'ITEM_NOT_AVAILABLE' } });
    await pay();
    expect((await voidIt(id)).status).toBe(409);
    expect((await theItem()).state).toBe('sold');
    expect(await auditOf(id)).toEqual([]);
  });

  test('or a concurrent checkout wins the item, never both', async () => {
    for (let round = 0; round < 8; round += 1) {
      product = await makeProduct(shop.deps, { items: 1 });
      const { id } = await theItem();
      const [voided, { opened }] = await Promise.all([voidIt(id), openPayment()]);
      const { state } = await theItem();
      expect([voided.status, opened.status, state]).toEqual(
        state === 'voided' ? [200, 409, 'voided'] : [409, 200, 'held'],
      );
    }
  });

  test('fails for an item that another administrator is moving, which stays on sale', async () => {
    const { id } = await theItem();
    const other = await makeProduct(shop.deps, { items: 0 });
    const [answer] = await startWhileLocked(shop.deps.db, putItOnSale(id, other.id), [() => voidIt(id)]);
    expect(answer).toMatchObject({ status: 409, body: { code: 'ITEM_NOT_AVAILABLE' } });
    expect(await itemsOf(other)).toMatchObject([{ id, state: 'available' }]);
    expect(await auditOf(id)).toEqual([]);
  });

  test('is refused for an item of another product, a missing item or a missing reason', async () => {
    const { id } = await theItem();
    expect((await voidIt(randomUUID())).status).toBe(404);
    expect((await voidIt(id, '  ')).status).toBe(400);
    product = await makeProduct(shop.deps, { items: 0 });
    expect((await voidIt(id)).status).toBe(404);
    expect(await auditOf(id)).toEqual([]);
  });
});

describe('revealing', () => {
  beforeEach(() => shop.pass(STEP_MS));

  test('shows the secret once per code, in the ledger and the audit log, and does not mark it as seen', async () => {
    const { id } = await theItem();
    const code = admin.code();
    const answers = await Promise.all([reveal(id, code), reveal(id, code), reveal(id, code)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
    const shown = answers.find(({ status }) => status === 200);
    expect(shown?.body.data).toEqual({ content: product.keys[0] });
    expect(shown?.headers.get('cache-control')).toBe('no-store');
    expect(await revealsOf(id)).toMatchObject([
      { user_id: admin.user.id, order_id: null, reason: REASON, ip: '127.0.0.1', user_agent: 'node' },
    ]);
    expect(await auditOf(id)).toMatchObject([
      { action: 'item.revealed', summary: `Read an item of "${product.name}": ${REASON}` },
    ]);
    expect(await theItem()).toMatchObject({ state: 'available', first_viewed_at: null });
  });

  test('a sold item records its order, and the item stays unseen until its buyer reads it', async () => {
    const { buyer, pay } = await openPayment();
    const order = await pay();
    const { id } = await theItem();
    expect((await reveal(id, admin.code())).status).toBe(200);
    expect(await revealsOf(id)).toMatchObject([{ order_id: order, user_id: admin.user.id }]);
    expect((await theItem()).first_viewed_at).toBeNull();
    await buyer.get(`/api/digital-orders/${order}/items`);
    expect((await theItem()).first_viewed_at).not.toBeNull();
    expect(await revealsOf(id)).toMatchObject([{ reason: REASON }, { reason: null }]);
  });

  test('is refused without two-factor, with a message where to set it up', async () => {
    const plain = await signedIn(shop, { role: 'admin' });
    const { id } = await theItem();
    const { status, body } = await reveal(id, '123456', plain);
    expect([status, body.code]).toEqual([409, 'TWO_FACTOR_NOT_SET_UP']);
    expect(body.message).toContain('in your profile');
    expect(await revealsOf(id)).toEqual([]);
  });

  test('uses up no code for a missing item, another product’s item or a missing reason', async () => {
    const { id } = await theItem();
    const code = admin.code();
    expect((await reveal(randomUUID(), code)).status).toBe(404);
    expect((await send('reveal', id, { code, reason: ' ' })).status).toBe(400);
    const own = product;
    product = await makeProduct(shop.deps, { items: 0 });
    expect((await reveal(id, code)).status).toBe(404);
    product = own;
    expect((await reveal(id, code)).status).toBe(200);
  });

  test('records no order once another administrator has put the returned item on sale again', async () => {
    const { id } = await theItem();
    const { pay } = await openPayment();
    const orderId = await pay();
    await admin.shopper.post(`/api/admin/orders/${orderId}/refund`, { reason: 'Bought twice' });
    expect(await theItem()).toMatchObject({ state: 'quarantined' });
    shop.pass(STEP_MS);
    const code = admin.code();
    const [answer] = await startWhileLocked(shop.deps.db, putItOnSale(id, product.id), [() => reveal(id, code)]);
    expect(answer?.status).toBe(200);
    expect(await theItem()).toMatchObject({ state: 'available', order_line_id: null });
    expect(await revealsOf(id)).toMatchObject([{ order_id: null, reason: REASON }]);
  });

  const productPath = () => `/api/digital-products/${product.id}`;

  test.each([
    [
      'Activate of its product',
      {
        withdraw: () => admin.shopper.send('DELETE', productPath()),
        restore: () => admin.shopper.send('PUT', productPath(), { isActive: true }),
        state: 'quarantined',
      },
    ],
    [
      'an upload that restores known items',
      {
        withdraw: async () => voidIt((await theItem()).id),
        restore: () => admin.shopper.post(`${productPath()}/inventory`, { items: product.keys, restoreReason: REASON }),
        state: 'voided',
      },
    ],
  ])('makes %s wait, which then leaves the item off sale', async (_what, { withdraw, restore, state }) => {
    const { id: item_id } = await theItem();
    expect((await withdraw()).status).toBe(200);
    const read = { item_id, order_id: null, user_id: null, ip: '', user_agent: '', reason: REASON };
    const [restored] = await startWhileLocked(
      shop.deps.db,
      (trx) => insertReveals(trx, [{ ...read, at: shop.deps.clock.now() }]),
      [restore],
    );
    expect([restored?.status, (await theItem()).state]).toEqual([200, state]);
  });

  test('is locked for a while after five wrong codes, and the session stays', async () => {
    const guesser = await makeUserWithTwoFactor(shop, { role: 'admin' });
    const { id } = await theItem();
    const wrong = await Promise.all(Array.from({ length: 7 }, () => reveal(id, guesser.code(9), guesser.shopper)));
    expect(wrong.map(({ body }) => body.code).toSorted()).toEqual([
      ...Array(5).fill('INVALID_CODE'),
      ...Array(2).fill('RATE_LIMITED'),
    ]);
    const right = await reveal(id, guesser.code(), guesser.shopper);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    expect([await revealsOf(id), await auditOf(id)]).toEqual([[], []]);
    expect((await guesser.shopper.get('/api/auth/me')).status).toBe(200);
  });
});

test('no item is in the log, the audit log or the database in clear after adding, listing, voiding and revealing', async () => {
  shop.pass(STEP_MS);
  const canaries = Array.from({ length: 3 }, () => `CANARY-${randomUUID()}`);
  const items = [...canaries, `${canaries[0]}\u0000`];
  const inventory = `/api/digital-products/${product.id}/inventory`;
  expect((await admin.shopper.post(inventory, { items })).status).toBe(400);
  await admin.shopper.post(inventory, { items: canaries });
  await admin.shopper.get(inventory);
  const [, first, second] = await itemsOf(product);
  await voidIt(first?.id ?? '');
  expect((await reveal(second?.id ?? '', admin.code())).status).toBe(200);
  // An altered row cannot be read, does not block the other rows, and the log reveals nothing useful about it.
  await shop.deps.db
    .updateTable('items')
    .set({ nonce: Buffer.alloc(12) })
    .where('id', '=', second?.id ?? '')
    .execute();
  const { body } = await admin.shopper.get(inventory);
  const masked = (body.data as unknown as { items: InventoryItem[] }).items.map((item) => item.masked);
  expect(masked.filter((text) => text === 'Cannot be read')).toHaveLength(1);
  expect(masked.length).toBeGreaterThan(1);
  shop.pass(STEP_MS);
  expect((await reveal(second?.id ?? '', admin.code())).status).toBe(500);
  const alerts = shop.logLines.filter((line) => line.includes('"alert":"unreadable-item"'));
  expect(alerts).toHaveLength(1);
  expect(alerts[0]).toContain(second?.id);

  const tables = ['audit_log', 'reveals', 'items'] as const;
  const rows = await Promise.all(tables.map((name) => shop.deps.db.selectFrom(name).selectAll().execute()));
  const written = [...shop.logLines, JSON.stringify(rows)].join('\n');
  const forms = (text: string) => [
    text,
    Buffer.from(text).toString('base64').slice(0, 40),
    Buffer.from(text).toString('hex'),
  ];
  expect(written).toContain(product.name);
  for (const form of canaries.flatMap(forms)) expect(written).not.toContain(form);
});

test('a buyer reads an order with an altered item on one connection to the database', async () => {
  const { pay } = await openPayment();
  const orderId = await pay();
  await shop.deps.db
    .updateTable('items')
    .set({ nonce: Buffer.alloc(12) })
    .where('product_id', '=', product.id)
    .execute();
  const db = openDatabase(shop.deps.config.databaseUrl ?? '', { maxConnections: 1 });
  const client = { ip: '127.0.0.1', userAgent: '' };
  const { items } = await revealOrder({ ...shop.deps, db }, { orderId, userId: null, client });
  await db.destroy();
  expect(items[0]?.items).toMatchObject([{ content: null }]);
  const { id } = await theItem();
  expect(await hasAlert(shop.deps.db, { kind: 'unreadable-item', subject: id })).toBe(true);
});
