import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { type MadeProduct, makeProduct, makeSharedProduct } from '../../../../test/factories.ts';
import { loseDispute } from '../../../../test/lost-dispute.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { openReportDesk } from '../../../../test/problem-reports.ts';
import { askForDownload, makeFileProduct } from '../../../../test/product-files.ts';
import { createShopper, GUEST_PASSWORD } from '../../../../test/shopper.ts';
import { openTestShop, startTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { withdrawReport } from './report-problem.ts';

const shop = await openTestShop();
const desk = await openReportDesk(shop);
const other = await openReportDesk(shop);

/** Buys units of a product as a new guest. */
async function buy(product: MadeProduct, quantity: number) {
  const guest = { email: `${product.id}@example.com`, password: GUEST_PASSWORD };
  const buyer = createShopper(shop.url);
  const { orderId } = await buyer.buy([{ product, quantity }], guest);
  return { orderId, buyer, guest, products: [product], keys: () => buyer.readKeys(orderId) };
}

const mailKinds = async (orderId: string) => (await desk.orders.page(orderId)).mails.map(({ kind }) => kind);
const auditOf = async (orderId: string) =>
  (await readAuditOf(shop.deps.db, orderId)).map(({ action, summary }) => `${action}: ${summary}`);

describe('an answer', () => {
  it('is a message, mailed to the buyer without its text, and may close the report', async () => {
    const { orderId, report, products } = await desk.buy({ quantity: 1 });
    const id = (await report()).reports[0]?._id ?? '';
    const draft = uuidv7();
    const answer = { text: 'Try SECRET-WORD', draft };
    const answers = [await desk.answer(id, answer), await desk.answer(id, answer)];
    expect(answers.map(({ status, report: { state, messages } }) => [status, state, messages.length])).toEqual([
      [200, 'answered', 2],
      [200, 'answered', 2],
    ]);
    expect(answers[0]?.report.messages[1]).toMatchObject({ side: 'shop', actor: desk.orders.email });
    const closed = await desk.answer(id, { text: 'It works now', close: true });
    expect(closed.report).toMatchObject({ state: 'closed', outcome: 'message' });
    expect(await mailKinds(orderId)).toEqual(['order-delivered', 'report-answered', 'report-answered']);
    const name = products[0]?.name;
    expect(await auditOf(orderId)).toEqual([
      `order.report-answered: Answered the problem report on item 1 of “${name}”`,
      `order.report-answered: Answered and closed the problem report on item 1 of “${name}”`,
    ]);
  });

  it('is refused when the same form sends it again with other text or to close the report', async () => {
    const { report } = await desk.buy({ quantity: 1 });
    const id = (await report()).reports[0]?._id ?? '';
    const answer = { text: 'Try again', draft: uuidv7() };
    await desk.answer(id, answer);
    for (const other of [{ text: 'Do not try again' }, { close: true }]) {
      expect(await desk.answer(id, { ...answer, ...other })).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
    }
    const last = { text: 'It works now', close: true, draft: uuidv7() };
    const answers = [await desk.answer(id, last), await desk.answer(id, last)];
    expect(answers.map(({ status, report: { state } }) => [status, state])).toEqual(Array(2).fill([200, 'closed']));
    expect(await desk.answer(id, { ...last, close: false })).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
    expect(await desk.answer(id, answer)).toMatchObject({ status: 200 });
  });

  it('conflicts with an unread newer message, and only one of two concurrent administrators succeeds', async () => {
    const { report, reply } = await desk.buy({ quantity: 1, items: 2 });
    const id = (await report()).reports[0]?._id ?? '';
    const { messages } = await desk.page(id);
    await reply(id, { text: 'It works after all' });
    const lastMessage = messages[0]?._id;
    for (const action of ['answer', 'replace', 'refund'] as const) {
      expect(await desk.act(id, action, { lastMessage })).toMatchObject({ status: 409, code: 'EDIT_CONFLICT' });
    }
    const results = await Promise.all([desk.act(id, 'replace'), other.act(id, 'refund')]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(results.find(({ status }) => status === 409)?.code).toBe('REPORT_REFUSED');
  });

  it('can be a replacement, also when the warranty has ended since the report', async () => {
    const { orderId, report, itemIds, keys } = await desk.buy({ quantity: 1, items: 2, warranty_days: 1 });
    const [faulty] = await keys();
    const id = (await report()).reports[0]?._id ?? '';
    await desk.pass(3 * DAY_MS);
    const { status, report: ended } = await desk.act(id, 'replace');
    expect([status, ended.state, ended.outcome, ended.item.state]).toEqual([200, 'closed', 'replaced', 'burnt']);
    expect(await keys()).not.toContain(faulty);
    expect(await keys()).toHaveLength(1);
    expect(await mailKinds(orderId)).toEqual(['order-delivered', 'item-replaced']);
    expect((await auditOf(orderId)).at(-1)).toMatch(/^order\.item-replaced: .*: Problem report: It was used already$/);
    expect((await desk.item(itemIds[0] ?? '')).state).toBe('burnt');
    expect(await desk.act(id, 'replace')).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
  });

  it('can refund that very item if no replacement is in stock', async () => {
    const { orderId, report, itemIds } = await desk.buy({ quantity: 3 });
    const id = (await report({ item: itemIds[1] })).reports[0]?._id ?? '';
    expect(await desk.page(id)).toMatchObject({ available: 0 });
    expect(await desk.act(id, 'replace')).toMatchObject({ status: 409, code: 'OUT_OF_STOCK' });
    const { status, report: ended } = await desk.act(id, 'refund');
    expect([status, ended.state, ended.outcome]).toEqual([200, 'closed', 'refunded']);
    const states = await Promise.all(itemIds.map(async (item) => (await desk.item(item)).state));
    expect(states).toEqual(['sold', 'quarantined', 'sold']);
    expect(await desk.orders.page(orderId)).toMatchObject({ refundedPrice: 10.6, refundStatus: 'Partly refunded' });
    expect(await mailKinds(orderId)).toEqual(['order-delivered', 'order-refunded-in-part']);
    expect(await desk.act(id, 'refund')).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
  });

  it('can refund an item delivered manually or downloaded, which does not return to the stock', async () => {
    const refund = async ({ report }: Awaited<ReturnType<typeof desk.reportsOf>>, item?: string) => {
      const id = (await report(item === undefined ? {} : { item })).reports.find(({ state }) => state === 'open')?._id;
      expect((await desk.act(id ?? '', 'refund')).report).toMatchObject({ outcome: 'refunded' });
    };
    const limitOf = async ({ id }: MadeProduct) => {
      const products = shop.deps.db.selectFrom('products').select('stock').where('id', '=', id);
      return (await products.executeTakeFirstOrThrow()).stock;
    };

    const topUp = await makeProduct(shop.deps, { items: 0, delivery: 'manual', stock: 3, warranty_days: 30 });
    const bought = await buy(topUp, 3);
    const line = (await desk.orders.page(bought.orderId)).lines[0]?._id;
    await desk.orders.act(bought.orderId, 'deliver-unit', { line, unit: 1, content: 'Level 60', draft: uuidv7() });
    await refund(await desk.reportsOf(bought));
    expect((await desk.orders.page(bought.orderId)).lines[0]?.waitingUnits).toEqual([2, 3]);
    expect(await limitOf(topUp)).toBe(0);

    const { product: guide } = await makeFileProduct(shop, { bytes: 100, stock: 3, warranty_days: 30 });
    const copies = await desk.reportsOf(await buy(guide, 3));
    const [read = '', unread = '', kept = ''] = copies.itemIds;
    expect((await askForDownload(copies.buyer, { orderId: copies.orderId, itemId: read })).status).toBe(200);
    await refund(copies, read);
    expect(await limitOf(guide)).toBe(0);
    await refund(copies, unread);
    expect(await limitOf(guide)).toBe(1);
    expect((await desk.item(kept)).state).toBe('sold');
  });

  it('can be a new copy of shared content, or new content typed by an administrator', async () => {
    const course = await desk.reportsOf(
      await buy(await makeSharedProduct(shop.deps, { stock: null, warranty_days: 30 }), 1),
    );
    const id = (await course.report()).reports[0]?._id ?? '';
    expect(await desk.act(id, 'replace')).toMatchObject({ status: 200, report: { outcome: 'replaced' } });
    expect((await desk.item(course.itemIds[0] ?? '')).state).toBe('burnt');

    const bought = await buy(await makeProduct(shop.deps, { items: 0, delivery: 'manual', warranty_days: 30 }), 1);
    const line = (await desk.orders.page(bought.orderId)).lines[0]?._id;
    await desk.orders.act(bought.orderId, 'deliver-unit', { line, unit: 1, content: 'Level 60', draft: uuidv7() });
    const manual = await desk.reportsOf(bought);
    const manualId = (await manual.report()).reports[0]?._id ?? '';
    expect(await desk.act(manualId, 'replace')).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(await desk.act(manualId, 'replace', { content: 'Level 61' })).toMatchObject({
      status: 200,
      report: { outcome: 'replaced', delivery: 'manual' },
    });
    expect(await manual.keys()).toEqual(['Level 61']);
    expect((await desk.queue({ order: bought.orderId })).map(({ _id }) => _id)).toEqual([manualId]);
  });

  it('can also be given by a replacement, refund or lost dispute on the order', async () => {
    const replaced = await desk.buy({ quantity: 1, items: 2 });
    const inPart = await desk.buy({ quantity: 2 });
    const whole = await desk.buy({ quantity: 2 });
    const disputed = await desk.buy({ quantity: 1 });
    const ids = [];
    for (const { report } of [replaced, inPart, whole, disputed]) ids.push((await report()).reports[0]?._id ?? '');
    const reason = 'Faulty';
    await desk.orders.act(replaced.orderId, 'replace-item', { item: replaced.itemIds[0], reason });
    const [line] = (await desk.orders.page(inPart.orderId)).lines;
    const units = (quantity: number) => ({ reason, lines: [{ line: line?._id, quantity }] });
    // The unseen unit with the highest number is withdrawn first, so the reported one stays.
    await desk.orders.act(inPart.orderId, 'refund', units(1));
    expect(await desk.page(ids[1] ?? '')).toMatchObject({ state: 'open' });
    await desk.orders.act(inPart.orderId, 'refund', units(1));
    await desk.orders.act(whole.orderId, 'refund', { reason });
    await loseDispute(shop.deps, disputed.orderId);
    const ends = await Promise.all(ids.map(async (id) => (await desk.page(id)).outcome));
    expect(ends).toEqual(['replaced', 'refunded', 'refunded', 'disputed']);
    const { faults } = await checkBooksOf(shop.deps);
    expect(faults).toEqual([]);
  });
});

describe('the queue', () => {
  it('lists the longest waiting first, then the answered; closed reports apart, newest first, page by page', async () => {
    const bought: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const one = await desk.buy({ quantity: 1 });
      bought.push((await one.report()).reports[0]?._id ?? '');
      await desk.pass(60_000);
    }
    await desk.answer(bought[0] ?? '');
    await desk.answer(bought[3] ?? '', { close: true });
    await desk.pass(60_000);
    await desk.answer(bought[1] ?? '', { close: true });
    const ours = (reports: { _id: string }[]) => reports.map(({ _id }) => bought.indexOf(_id)).filter((n) => n >= 0);
    expect(ours(await desk.queue())).toEqual([2, 4, 0]);
    expect(ours(await desk.queue({ limit: '1' }))).toEqual([2, 4, 0]);
    expect(ours(await desk.queue({ closed: 'true', limit: '1' }))).toEqual([1, 3]);
  });
});

describe('a reported item', () => {
  it('is never sold again, whatever an administrator tries', async () => {
    const { report, itemIds, products } = await desk.buy({ quantity: 1 });
    const id = (await report()).reports[0]?._id ?? '';
    await desk.act(id, 'refund');
    const [item = ''] = itemIds;
    const [product] = products;
    const { admin } = desk.orders;
    const target = (await desk.buy({ quantity: 1 })).products[0];
    // Nobody has read it, so only the report keeps it withdrawn.
    expect(await desk.item(item)).toMatchObject({ state: 'quarantined', first_viewed_at: null });
    const stock = `/api/digital-products/${product?.id}/inventory`;
    const act = async (action: string, body: object) =>
      (await admin.post(`${stock}/${item}/${action}`, body)).body.code;
    const reason = 'Looks fine';
    expect(await act('restore', { reason })).toBe('ITEM_NOT_AVAILABLE');
    expect(await act('move', { reason, product: target?.id })).toBe('ITEM_NOT_AVAILABLE');
    for (const path of [stock, `/api/digital-products/${target?.id}/inventory`]) {
      const upload = await admin.post(path, { items: product?.keys, restoreReason: reason });
      expect(upload.body.data?.['report']).toMatchObject({ new: 0, known: 1, withdrawn: 0 });
    }
    expect(await act('void', { reason })).toBeUndefined();
    expect(await act('undo-void', {})).toBeUndefined();
    await admin.send('DELETE', `/api/digital-products/${product?.id}`);
    expect((await desk.item(item)).state).toBe('quarantined');
    const listed = (await admin.get(stock)).body.data?.['items'];
    expect(listed).toMatchObject([{ state: 'quarantined', wasRead: true, wasReported: true }]);
    const { db } = shop.deps;
    const onSale = { state: 'available', order_line_id: null, unit: null } as const;
    for (const change of [onSale, { product_id: target?.id ?? '' }]) {
      await expect(db.updateTable('items').set(change).where('id', '=', item).execute()).rejects.toThrow(
        'was reported',
      );
    }
  });
});

describe('the rate limits', () => {
  it('allow a buyer ten reports a day and thirty messages an hour', async () => {
    const limited = await startTestShop({ settings: { RATE_LIMITS: 'on' } });
    try {
      const own = await openReportDesk(limited);
      const { report, reply, itemIds } = await own.buy({ quantity: 2 });
      const id = (await report()).reports[0]?._id ?? '';
      for (let n = 1; n < 10; n += 1) expect((await report()).status).toBe(409);
      expect(await report({ item: itemIds[1] })).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      const statuses = [];
      for (let n = 0; n < 31; n += 1) statuses.push((await reply(id)).status);
      expect(statuses.lastIndexOf(201)).toBe(18);
      expect(statuses.slice(-2)).toEqual([409, 429]);
      await own.pass(DAY_MS);
      expect((await report({ item: itemIds[1] })).status).toBe(201);
    } finally {
      await limited.stop();
    }
  });
});

it('a report is closed by a process whose clock is behind that of the process that opened it', async () => {
  const now = new Date(shop.deps.clock.now().getTime() - 5_000);
  const behind = { ...shop.deps, clock: { ...shop.deps.clock, now: () => now } };
  const [lost, withdrawn] = [await desk.buy({ quantity: 1 }), await desk.buy({ quantity: 1 })];
  await lost.report();
  const id = (await withdrawn.report()).reports[0]?._id ?? '';
  const { user_id: userId } = await getOrder(shop.deps.db, withdrawn.orderId);
  await loseDispute(behind, lost.orderId);
  await withdrawReport(behind, { reportId: id, userId: userId ?? '' });
  const closed = await desk.queue({ closed: 'true' });
  const outcomes = [lost, withdrawn].map(({ orderId }) => closed.find(({ order }) => order === orderId)?.outcome);
  expect(outcomes).toEqual(['disputed', 'withdrawn']);
});
