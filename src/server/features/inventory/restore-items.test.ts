import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { checkBooksOf } from '../../../../test/books.ts';
import { type MadeProduct, makeProduct } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { InventoryItem, InventoryReport } from '../../../shared/inventory.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';

const REASON = 'Withdrawn by mistake';

let product: MadeProduct;
const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin' });
const other = await signedIn(shop, { role: 'admin' });
const orders = await openAdminOrders(shop);
beforeEach(async () => {
  product = await makeProduct(shop.deps, { items: 1 });
});

const pathOf = ({ id }: { id: string }) => `/api/digital-products/${id}`;
const itemsOf = ({ id }: { id: string }) =>
  shop.deps.db.selectFrom('items').selectAll().where('product_id', '=', id).orderBy('id').execute();
const statesOf = async (of: { id: string }) => (await itemsOf(of)).map(({ state }) => state);
async function itemOf(of: { id: string }) {
  const [item] = await itemsOf(of);
  if (!item) throw new Error('There is no item');
  return item;
}
const auditOf = async (subjectId: string) =>
  (await readAuditOf(shop.deps.db, subjectId)).map(({ action, summary }) => [action, summary]);

type Action = 'void' | 'undo-void' | 'restore' | 'move';
async function act(action: Action, itemId: string, body: object = { reason: REASON }, by = admin, from = product) {
  return by.post(`${pathOf(from)}/inventory/${itemId}/${action}`, body);
}
const moveTo = (target: { id: string }, itemId: string, by = admin, from = product) =>
  act('move', itemId, { reason: REASON, product: target.id }, by, from);
/** Writes the ledger row of a reveal by an administrator. */
const readByAdmin = (itemId: string) =>
  shop.deps.db
    .insertInto('reveals')
    .values({
      item_id: itemId,
      order_id: null,
      user_id: null,
      ip: '',
      user_agent: '',
      reason: 'To see',
      at: new Date(),
    })
    .execute();
/** A product of one item that its buyer gave back, read or unread. */
async function givenBack({ read = false } = {}) {
  const { orderId, products, keys, buyer } = await buyAsGuest(shop, { quantity: 1 });
  if (read) await keys();
  await orders.act(orderId, 'refund', { reason: 'Not wanted' });
  const [returned] = products as [MadeProduct];
  return { returned, orderId, buyer, key: returned.keys[0] ?? '' };
}
const upload = async (to: { id: string }, items: string[], more: object = {}) =>
  (await admin.post(`${pathOf(to)}/inventory`, { items, ...more })).body.data as unknown as {
    report: InventoryReport;
    stats: { available: number };
  };
const shown = async (of: { id: string }) =>
  ((await admin.get(`${pathOf(of)}/inventory`)).body.data as unknown as { items: InventoryItem[] }).items;
const buyOne = async (of: MadeProduct) => {
  const buyer = await signedIn(shop);
  return buyer.readKeys((await buyer.buy([{ product: of, quantity: 1 }])).orderId);
};
const expectBooksInOrder = async () => expect((await checkBooksOf(shop.deps)).faults).toEqual([]);

describe('undoing a deletion or a void', () => {
  test('puts withdrawn items on sale again, by Activate or by Undo, which keeps an inactive product inactive', async () => {
    product = await makeProduct(shop.deps, { items: 3 });
    const { id, name } = product;
    const change = (changes: object) => admin.send('PUT', pathOf(product), changes);
    await admin.send('DELETE', pathOf(product));
    expect(await statesOf(product)).toEqual(Array(3).fill('quarantined'));
    expect((await change({ isActive: true })).body.data).toMatchObject({ stock: 3, deletedAt: null, isActive: true });

    await admin.send('DELETE', pathOf(product));
    expect((await change({ undoDelete: true, isActive: true })).body.data).toMatchObject({ stock: 3, isActive: true });
    await change({ isActive: false });
    await admin.send('DELETE', pathOf(product));
    expect((await change({ undoDelete: true })).body.data).toMatchObject({ isActive: false, deletedAt: null });
    expect(await statesOf(product)).toEqual(Array(3).fill('available'));
    expect((await auditOf(id)).map(([, summary]) => summary)).toEqual([
      `Deleted "${name}", which is inactive now`,
      `Activated "${name}"; 3 unsold on sale again`,
      `Deleted "${name}", which is inactive now`,
      `Undid the deletion of "${name}"; 3 unsold on sale again`,
      `Deactivated "${name}"`,
      `Deleted "${name}", which is inactive now`,
      `Undid the deletion of "${name}"; 3 unsold on sale again`,
    ]);
    await expectBooksInOrder();
  });

  test('puts items on sale again that an open payment held during the deletion', async () => {
    product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const opened = await buyer.openPayment([{ product, quantity: 1 }], { email: 'held@example.com' });
    expect(opened.status).toBe(200);
    await admin.send('DELETE', pathOf(product));
    expect(await statesOf(product)).toEqual(['held']);
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await statesOf(product)).toEqual(['quarantined']);
    const activated = await admin.send('PUT', pathOf(product), { isActive: true });
    expect(activated.body.data).toMatchObject({ stock: 1 });
    await expectBooksInOrder();
  });

  test('does not put items on sale that were read, or returned by a buyer', async () => {
    const { returned } = await givenBack();
    await upload(returned, [`read-${randomUUID()}`, `unread-${randomUUID()}`]);
    const [, read] = await itemsOf(returned);
    await readByAdmin(read?.id ?? '');
    await admin.send('DELETE', pathOf(returned));
    await admin.send('PUT', pathOf(returned), { isActive: true });
    expect(await statesOf(returned)).toEqual(['quarantined', 'quarantined', 'available']);
    await expectBooksInOrder();
  });

  test('returns a voided item to its previous state, on sale or given back', async () => {
    const { id } = await itemOf(product);
    await act('void', id);
    expect((await act('undo-void', id, {})).status).toBe(200);
    expect(await itemOf(product)).toMatchObject({ state: 'available', void_reason: null });
    expect(await auditOf(id)).toEqual([
      ['item.voided', expect.anything()],
      ['item.void-undone', `Undid the voiding of an item of "${product.name}"`],
    ]);
    expect((await act('undo-void', id, {})).body.code).toBe('ITEM_NOT_AVAILABLE');

    const { returned } = await givenBack();
    const { id: back } = await itemOf(returned);
    await act('void', back, undefined, admin, returned);
    expect((await act('undo-void', back, {}, admin, returned)).status).toBe(200);
    expect(await statesOf(returned)).toEqual(['quarantined']);
  });

  test('leaves an item of a deleted product withdrawn until Activate', async () => {
    product = await makeProduct(shop.deps, { items: 2 });
    const [first, second] = await itemsOf(product);
    const remove = () => admin.send('DELETE', pathOf(product));
    const undoVoidOf = (id = '') => act('undo-void', id, {});
    await act('void', first?.id ?? '');
    await act('void', second?.id ?? '');
    const deleted = startWhileLocked<{ status: number }>(shop.deps.db, lockAndFindLastEntry, [
      remove,
      () => undoVoidOf(first?.id),
    ]);
    expect((await deleted).map(({ status }) => status)).toEqual([200, 200]);
    expect((await undoVoidOf(second?.id)).status).toBe(200);
    expect(await statesOf(product)).toEqual(['quarantined', 'quarantined']);
    const activated = await admin.send('PUT', pathOf(product), { isActive: true });
    expect(activated.body.data).toMatchObject({ stock: 2 });
    await expectBooksInOrder();
  });
});

describe('an unread item that was withdrawn or given back', () => {
  test('is put on sale again with a reason, recorded in the audit log, and sold to another buyer', async () => {
    const { returned, orderId, buyer, key } = await givenBack();
    const { id } = await itemOf(returned);
    expect(await shown(returned)).toMatchObject([{ state: 'quarantined', wasRead: false }]);
    expect((await act('restore', id, { reason: ' ' }, admin, returned)).status).toBe(400);
    expect((await act('restore', id, undefined, admin, returned)).status).toBe(200);
    expect(await auditOf(id)).toEqual([
      [
        'item.restored',
        `Put an item of "${returned.name}", given back with order #${orderId.slice(-8).toUpperCase()}, on sale again: ${REASON}`,
      ],
    ]);
    expect(await buyOne(returned)).toEqual([key]);
    expect(await buyer.readKeys(orderId)).toEqual([]);
    await expectBooksInOrder();
  });

  test('is moved to another product, encrypted for that product, and sold there', async () => {
    const target = await makeProduct(shop.deps, { items: 0 });
    const before = await itemOf(product);
    expect((await moveTo(target, before.id)).status).toBe(200);
    const after = await itemOf(target);
    expect(after).toMatchObject({ id: before.id, state: 'available', uploaded_for: product.id });
    expect(after.ciphertext.equals(before.ciphertext)).toBe(false);
    expect(await auditOf(before.id)).toEqual([
      ['item.moved', `Moved an item of "${product.name}" to "${target.name}": ${REASON}`],
    ]);
    await expectBooksInOrder();
    expect(await buyOne(target)).toEqual(product.keys);
    await expectBooksInOrder();
  });

  test('belongs to the first product again after two moves, and the books still add up', async () => {
    const target = await makeProduct(shop.deps, { items: 0 });
    await upload(product, [`uploaded-${randomUUID()}`]);
    for (const { id } of await itemsOf(product)) await moveTo(target, id);
    await expectBooksInOrder();
    for (const { id } of await itemsOf(target)) await moveTo(product, id, admin, target);
    expect(await itemsOf(product)).toMatchObject([{ uploaded_for: null }, { uploaded_for: null }]);
    await expectBooksInOrder();
  });

  test('is restored by an upload of its key to any product, if the upload has a reason', async () => {
    const { returned, key } = await givenBack();
    await act('void', (await itemOf(product)).id);
    const { key: read } = await givenBack({ read: true });
    const fresh = `fresh-${randomUUID()}`;
    const items = [key, ...product.keys, read, fresh, fresh];
    const counts = { new: 1, doubled: 1, known: 1, withdrawn: 2, empty: 0 };
    const target = await makeProduct(shop.deps, { items: 0 });
    expect(await upload(target, items, { dryRun: true })).toMatchObject({ report: counts, stats: { available: 0 } });
    expect(await upload(target, [key])).toMatchObject({ report: { withdrawn: 1 }, stats: { available: 0 } });
    expect(await upload(target, items, { restoreReason: REASON })).toMatchObject({
      report: counts,
      stats: { available: 3 },
    });
    expect([await statesOf(returned), await statesOf(product)]).toEqual([[], []]);
    expect(await auditOf(target.id)).toEqual([
      ['inventory.added', `Added 1 to the stock of "${target.name}"; left out: 1 doubled, 1 known, 0 empty`],
      ['inventory.restored', `Put 2 withdrawn on sale again in the stock of "${target.name}": ${REASON}`],
    ]);
    const sold = [await buyOne(target), await buyOne(target), await buyOne(target)].flat();
    expect(sold.toSorted()).toEqual([key, ...product.keys, fresh].toSorted());
    await expectBooksInOrder();
  });
});

describe('an item that was read', () => {
  test.each([
    ['by its buyer', () => givenBack({ read: true }), 'burnt'],
    [
      'by an administrator',
      async () => {
        const back = await givenBack();
        await readByAdmin((await itemOf(back.returned)).id);
        return back;
      },
      'quarantined',
    ],
  ])('%s is never on sale again: the API and the database reject it', async (_who, giveBack, state) => {
    const { returned, key } = await giveBack();
    const { id } = await itemOf(returned);
    const target = await makeProduct(shop.deps, { items: 0 });
    expect((await shown(returned))[0]).toMatchObject({ state, wasRead: true });
    const answers = [
      await act('restore', id, undefined, admin, returned),
      await moveTo(target, id, admin, returned),
      await act('undo-void', id, {}, admin, returned),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([409, 'ITEM_NOT_AVAILABLE']));
    expect((await upload(target, [key], { restoreReason: REASON })).report).toMatchObject({ known: 1, withdrawn: 0 });
    const items = shop.deps.db.updateTable('items').where('id', '=', id);
    await expect(
      items.set({ state: 'available', order_line_id: null, unit: null, first_viewed_at: null }).execute(),
    ).rejects.toThrow('was read');
    await expect(items.set({ product_id: target.id }).execute()).rejects.toThrow('was read');
    expect(await statesOf(returned)).toEqual([state]);
  });

  test('by an administrator while on sale cannot be moved, or put back after a void', async () => {
    const { id } = await itemOf(product);
    await readByAdmin(id);
    expect((await moveTo(await makeProduct(shop.deps, { items: 0 }), id)).status).toBe(409);
    await act('void', id);
    expect((await act('undo-void', id, {})).body.message).toBe(
      'Somebody has read this item, so it is never sold again',
    );
    expect(await statesOf(product)).toEqual(['voided']);
  });
});

test('an item that is on sale, sold, missing or of another product cannot be restored', async () => {
  const { id } = await itemOf(product);
  const target = await makeProduct(shop.deps, { items: 0 });
  expect((await act('restore', id)).body.code).toBe('ITEM_NOT_AVAILABLE');
  expect((await act('restore', randomUUID())).status).toBe(404);
  expect((await act('restore', id, undefined, admin, target)).status).toBe(404);
  expect((await moveTo({ id: randomUUID() }, id)).body).toMatchObject({ code: 'NOT_FOUND', field: 'product' });
  expect((await moveTo(product, id)).status).toBe(404);
  await buyOne(product);
  for (const action of ['restore', 'undo-void'] as const) expect((await act(action, id)).status).toBe(409);
  expect((await moveTo(target, id)).status).toBe(409);
  expect(await auditOf(id)).toEqual([]);
});

test('a deleted product accepts no items for sale, whether restored, moved or uploaded', async () => {
  const from = await makeProduct(shop.deps, { items: 1 });
  const { id } = await itemOf(product);
  await admin.send('DELETE', pathOf(product));
  const refused = { status: 409, body: { code: 'ITEM_NOT_AVAILABLE' } };
  expect(await act('restore', id)).toMatchObject(refused);
  expect(await moveTo(product, (await itemOf(from)).id, admin, from)).toMatchObject(refused);
  const lists = [{ items: [`new-${randomUUID()}`] }, { items: product.keys, restoreReason: REASON }];
  for (const list of lists) expect(await admin.post(`${pathOf(product)}/inventory`, list)).toMatchObject(refused);
  expect([await statesOf(product), await statesOf(from)]).toEqual([['quarantined'], ['available']]);
  expect((await admin.send('PUT', pathOf(product), { isActive: true })).body.data).toMatchObject({ stock: 1 });
});

describe('concurrent inventory actions', () => {
  const ROUNDS = 8;

  test('let exactly one of two administrators restore or move an item', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      product = await makeProduct(shop.deps, { items: 1 });
      const [one, two] = [await makeProduct(shop.deps, { items: 0 }), await makeProduct(shop.deps, { items: 0 })];
      const { id } = await itemOf(product);
      await act('void', id);
      const answers = await Promise.all([
        round % 2 ? moveTo(one, id) : act('restore', id),
        round % 2 ? moveTo(two, id, other) : act('restore', id, undefined, other),
      ]);
      const statuses = answers.map(({ status }) => status).toSorted();
      expect([200, 409, 404]).toContain(statuses[1]);
      expect(statuses[0]).toBe(200);
      expect((await auditOf(id)).filter(([action]) => action !== 'item.voided')).toHaveLength(1);
      expect([await statesOf(product), await statesOf(one), await statesOf(two)].flat()).toEqual(['available']);
    }
  });

  test('leave an item in its product when the target of the move is being deleted', async () => {
    product = await makeProduct(shop.deps, { items: 1 });
    const target = await makeProduct(shop.deps, { items: 0 });
    const { id } = await itemOf(product);
    // Both write their entry of the audit log last.
    const [deleted, moved] = await startWhileLocked(shop.deps.db, lockAndFindLastEntry, [
      () => admin.send('DELETE', pathOf(target)),
      () => moveTo(target, id, other),
    ]);
    expect([deleted?.status, moved?.status]).toEqual([200, 409]);
    expect([await statesOf(product), await statesOf(target)]).toEqual([['available'], []]);
  });

  test.each(['the deletion', 'the upload'])(
    'leave no new item on sale in a deleted product if %s is first',
    async (first) => {
      product = await makeProduct(shop.deps, { items: 0 });
      const path = pathOf(product);
      const upload = () => other.post(`${path}/inventory`, { items: [`new-${randomUUID()}`] });
      const calls = [() => admin.send('DELETE', path), upload];
      if (first === 'the upload') calls.reverse();
      const answers = await startWhileLocked(shop.deps.db, lockAndFindLastEntry, calls);
      expect(answers.map(({ status }) => status)).toEqual(first === 'the upload' ? [200, 200] : [200, 409]);
      expect(await statesOf(product)).toEqual(first === 'the upload' ? ['quarantined'] : []);
    },
  );

  test('either sell or move an item, and its buyer can read it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      product = await makeProduct(shop.deps, { items: 1 });
      const target = await makeProduct(shop.deps, { items: 0 });
      const { id } = await itemOf(product);
      const cart = [{ product, quantity: 1 }];
      const buyer = await signedIn(shop);
      const [moved, opened] = await Promise.all([moveTo(target, id), buyer.openPayment(cart)]);
      expect([moved.status, opened.status].toSorted()).toEqual([200, 409]);
      if (opened.status !== 200) continue;
      await buyer.confirmCard(opened.body.clientSecret ?? '');
      const { body } = await buyer.placeOrder(cart, opened.body.clientSecret ?? '');
      expect(await buyer.readKeys(String(body.data?.['_id']))).toEqual(product.keys);
    }
    await expectBooksInOrder();
  });

  test('restore each withdrawn item once when two uploads list the same items in opposite orders', async () => {
    const from = await makeProduct(shop.deps, { items: 40 });
    await admin.send('DELETE', pathOf(from));
    const [one, two] = [await makeProduct(shop.deps, { items: 0 }), await makeProduct(shop.deps, { items: 0 })];
    const [first, second] = await Promise.all([
      upload(one, from.keys, { restoreReason: REASON }),
      upload(two, from.keys.toReversed(), { restoreReason: REASON }),
      admin.send('PUT', pathOf(from), { isActive: true }),
    ]);
    expect([...(await itemsOf(one)), ...(await itemsOf(two)), ...(await itemsOf(from))]).toHaveLength(40);
    expect([(await itemsOf(one)).length, (await itemsOf(two)).length]).toEqual([
      first.report.withdrawn,
      second.report.withdrawn,
    ]);
    await expectBooksInOrder();
  });
});

test('a guest cannot undo a void, restore or move an item', async () => {
  const { id } = await itemOf(product);
  for (const action of ['undo-void', 'restore', 'move'] as const) {
    expect((await act(action, id, {}, createShopper(shop.url))).status).toBe(401);
  }
});
