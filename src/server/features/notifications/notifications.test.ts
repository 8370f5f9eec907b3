import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import {
  type MadeProduct,
  makePhysicalProduct,
  makeProduct,
  makeSharedProduct,
  makeUser,
  TEST_PASSWORD,
} from '../../../../test/factories.ts';
import { loseDispute } from '../../../../test/lost-dispute.ts';
import { openReportDesk } from '../../../../test/problem-reports.ts';
import { holdMailJobs, mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper, GUEST_PASSWORD } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import {
  type NoticeDelivery,
  type NoticeKind,
  type NoticeSettings,
  noticeTitle,
  type OwnerNotice,
} from '../../../shared/notices.ts';
import { mailContents } from '../../background-work.ts';
import { MailRefused } from '../../platform/mail/mail-transport.ts';
import { insertAlert } from '../admin/alerts.queries.ts';
import { settleOrder } from '../checkout/settle-order.ts';
import { enqueueMail, sendMail } from '../mails/send-mail.ts';
import { listNotices, notifyOwner, presentNotice } from './notifications.ts';

const shop = await openTestShop();
const desk = await openAdminOrders(shop);

const notices = async () => (await listNotices(shop.deps.db, { limit: 10_000 })).rows.map(presentNotice).reverse();
/** Titles of the notices about a product or an order, oldest first. */
const toldOf = async (about: string) =>
  (await notices())
    .filter(({ order, product }) => order?._id === about || product?._id === about)
    .map((notice) => noticeTitle(notice));
/** Runs notifyOwner, and expects it to have had the effect. */
async function tell(isTold: () => Promise<boolean>): Promise<void> {
  await notifyOwner(shop.deps);
  expect(await isTold()).toBe(true);
}
/** Checks all stock levels: afterwards a marker product is known, and its selling out is reported. */
async function lookAtStock(): Promise<void> {
  const marker = await makeProduct(shop.deps);
  const isKnown = async () =>
    (await shop.deps.db.selectFrom('stock_levels').select('level').where('product_id', '=', marker.id).execute())
      .length > 0;
  await tell(isKnown);
  await buy(marker);
  await tell(async () => (await toldOf(marker.id)).length > 0);
}

let guests = 0;
/** Buys as a guest; returns the id of the order. */
async function buy(product: MadeProduct, quantity = 1): Promise<string> {
  guests += 1;
  const guest = { email: `notices-guest-${guests}@example.com`, password: GUEST_PASSWORD };
  return (await createShopper(shop.url).buy([{ product, quantity }], guest)).orderId;
}

const settings = async () =>
  (await desk.admin.get('/api/admin/notice-settings')).body.data as unknown as NoticeSettings;
const putSettings = (body: object) => desk.admin.send('PUT', '/api/admin/notice-settings', body);
async function choose(
  changes: Partial<Record<NoticeKind, NoticeDelivery>>,
  recipients?: string[],
): Promise<NoticeSettings> {
  const { deliveries, recipients: known } = await settings();
  const { status, body } = await putSettings({
    deliveries: { ...deliveries, ...changes },
    recipients: known.map(({ _id, isMailed }) => ({ _id, isMailed: recipients?.includes(_id) ?? isMailed })),
  });
  expect(status).toBe(200);
  return body.data as unknown as NoticeSettings;
}

describe('a new order', () => {
  it('is announced once with its number and amount, however often it is settled', async () => {
    const product = await makeProduct(shop.deps);
    const { orderId } = await createShopper(shop.url).authorise([{ product, quantity: 1 }], { email: 'a@example.com' });
    expect(await toldOf(orderId)).toEqual([]);
    await Promise.all([1, 2, 3].map(() => settleOrder(shop.deps, orderId)));
    await settleOrder(shop.deps, orderId);
    expect(await toldOf(orderId)).toEqual([`New order #${orderNumber(orderId)}: $10.60`]);
  });

  it('is joined with others in one daily digest, at eight in the morning, which names no buyer', async () => {
    await choose({ 'low-stock': 'dashboard', 'sold-out': 'dashboard' });
    const orderIds = [await buy(await makeProduct(shop.deps)), await buy(await makeProduct(shop.deps))];
    const digests = async () =>
      (await mailsTo(shop, desk.email)).filter(({ text }) => orderIds.some((id) => text.includes(orderNumber(id))));
    await lookAtStock();
    // At most one: the hour of the digest may have passed since.
    expect((await digests()).length).toBeLessThanOrEqual(1);
    shop.pass(DAY_MS);
    await tell(async () => (await digests()).length > 0);
    const found = await digests();
    const text = found.map((mail) => mail.text).join();
    for (const id of orderIds) expect(text.split(`\nNew order #${orderNumber(id)}: $10.60\n`)).toHaveLength(2);
    expect(found.at(-1)?.text).toContain('/admin?tab=notifications');
    expect(found.map(({ source }) => source).join()).not.toMatch(/notices-guest-|Guest Buyer/);
    shop.pass(DAY_MS);
    await lookAtStock();
    expect((await digests()).length).toBe(found.length);
    // The session has ended meanwhile.
    await desk.admin.signIn(desk.email, TEST_PASSWORD);
  });
});

describe('stock', () => {
  const makers: [string, (stock: number) => Promise<MadeProduct>][] = [
    ['items', (items) => makeProduct(shop.deps, { items, low_stock: 3 })],
    ['shared copies with a limit', (stock) => makeSharedProduct(shop.deps, { stock, low_stock: 3 })],
    [
      'physical goods',
      async (stock) => {
        const id = await makePhysicalProduct(shop.deps, { stock, low_stock: 3 });
        return { id, name: 'Wooden Mouse', price: 20, keys: [], kind: 'physical' };
      },
    ],
  ];

  it.each(makers)('of %s is announced at most once as low and once as sold out', async (_, make) => {
    const product = await make(10);
    await lookAtStock();
    const bought = Promise.allSettled(Array.from({ length: 14 }, () => buy(product)));
    let isOver = false;
    void bought.then(() => {
      isOver = true;
    });
    // Like the background loops of three processes.
    const looks = [1, 2, 3].map(async () => {
      while (!isOver) await notifyOwner(shop.deps);
    });
    const results = await bought;
    await Promise.all(looks);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await tell(async () => (await toldOf(product.id)).some((title) => title.startsWith('Sold out')));
    await lookAtStock();
    const told = await toldOf(product.id);
    expect(told.filter((title) => title === `Sold out: ${product.name}`)).toHaveLength(1);
    expect(told.filter((title) => title.startsWith('Low stock')).length).toBeLessThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(2);
  });

  it('is announced as low at its own threshold, and again only after it was above the threshold', async () => {
    const product = await makeProduct(shop.deps, { items: 4, low_stock: 2 });
    const raise = async (...items: string[]) => {
      const { status } = await desk.admin.post(`/api/digital-products/${product.id}/inventory`, {
        items: items.map((item) => `${item}-${product.id}`),
      });
      expect(status).toBe(200);
    };
    const told: string[][] = [];
    const look = async () => {
      await lookAtStock();
      told.push((await toldOf(product.id)).slice(told.flat().length));
    };
    await lookAtStock();
    await buy(product);
    await look();
    await buy(product);
    await look();
    await buy(product);
    await look();
    // Raised to the threshold, and sold.
    await raise('A');
    await buy(product);
    await look();
    // Raised above the threshold, and sold out before the next check.
    await raise('B', 'C', 'D');
    await buy(product, 4);
    await look();
    await raise('E');
    await look();
    await buy(product);
    await look();
    const low = `Low stock, 2 left: ${product.name}`;
    const out = `Sold out: ${product.name}`;
    expect(told).toEqual([[], [low], [], [], [out], [], [out]]);
  });

  it('is not announced for units held by an unpaid order, a product without a limit or an inactive product', async () => {
    const held = await makeProduct(shop.deps, { items: 1 });
    const endless = await makeSharedProduct(shop.deps, { stock: null });
    const inactive = await makeProduct(shop.deps, { items: 1 });
    await lookAtStock();
    const guest = { email: 'holds@example.com' };
    await createShopper(shop.url).openPayment([{ product: held, quantity: 1 }], guest);
    await buy(endless);
    await desk.admin.send('DELETE', `/api/digital-products/${inactive.id}`);
    await lookAtStock();
    for (const { id } of [held, endless, inactive]) expect(await toldOf(id)).toEqual([]);
  });
});

describe('notifications of problems', () => {
  it('announce a problem report when it begins to wait for the shop, and again at a reply to an answer', async () => {
    const reports = await openReportDesk(shop);
    const { orderId, report, reply } = await reports.buy({ quantity: 1 });
    const told = async () => (await toldOf(orderId)).filter((title) => !title.startsWith('New order'));
    const title = `A buyer reports a problem (order #${orderNumber(orderId)})`;
    const id = (await report()).reports[0]?._id ?? '';
    await reply(id);
    expect(await told()).toEqual([title]);
    await reports.answer(id);
    await reply(id);
    expect(await told()).toEqual([title, title]);
  });

  it('announce a dispute, a failed refund and any other alert once each', async () => {
    const orderId = await buy(await makeProduct(shop.deps));
    await loseDispute(shop.deps, orderId);
    await loseDispute(shop.deps, orderId);
    const now = shop.deps.clock.now();
    const alert = { subject: orderId, order_id: orderId };
    for (const kind of ['refund-failed', 'partial-refund', 'partial-refund', 'refund-failed'] as const)
      await insertAlert(shop.deps.db, { kind, ...alert }, now);
    const number = orderNumber(orderId);
    expect((await toldOf(orderId)).slice(1).sort()).toEqual([
      `Dispute lost (order #${number})`,
      `Part refunded at the provider (order #${number})`,
      `Refund failed (order #${number})`,
    ]);
    const kinds = (await notices()).filter(({ order, alert: of }) => order?._id === orderId && of !== null);
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(['alert', 'dispute', 'refund-failed']);
  });

  it('announce a rejected mail once, but never a rejected mail of notifications', async () => {
    const orderId = await buy(await makeProduct(shop.deps));
    const refuse = async () => {
      throw new MailRefused('EENVELOPE 550');
    };
    const refused = { ...shop.deps, mail: { send: refuse } };
    const { id: userId, email: recipient } = await makeUser(shop.deps, { role: 'admin' });
    const write = (kind: 'order-delivered' | 'notices') =>
      shop.deps.db.transaction().execute((trx) => {
        const jobs = { ...shop.deps.jobs, enqueue: async () => undefined };
        const mail = { kind, recipient, userId, ...(kind !== 'notices' && { orderId }) };
        return enqueueMail({ ...shop.deps, jobs }, trx, mail);
      });
    const [mailId, noticeMailId] = [await write('order-delivered'), await write('notices')];
    const [first] = await notices();
    await shop.deps.db
      .insertInto('notice_mails')
      .values({ mail_id: noticeMailId, notice_ids: [first?._id ?? ''] })
      .execute();
    const failures = async () => (await notices()).filter(({ kind }) => kind === 'mail-failed').map(noticeTitle);
    const before = (await failures()).length;
    await sendMail(refused, mailContents, { mailId });
    await sendMail(refused, mailContents, { mailId });
    await sendMail(refused, mailContents, { mailId: noticeMailId });
    expect((await failures()).slice(before)).toEqual([`A mail cannot be delivered (order #${orderNumber(orderId)})`]);
  });
});

describe('the notification settings', () => {
  it('send a kind at once, only to the dashboard or not at all, and to the chosen administrators', async () => {
    const other = await makeUser(shop.deps, { role: 'admin' });
    const me = (await settings()).recipients.find(({ email }) => email === desk.email);
    await choose({ 'new-order': 'each', 'sold-out': 'off', 'low-stock': 'dashboard' }, [other.id]);
    const product = await makeProduct(shop.deps, { items: 2, low_stock: 1 });
    await lookAtStockBy(product);
    const orderId = await buy(product);
    const subject = `New order #${orderNumber(orderId)}: $10.60`;
    await tell(async () => (await mailsTo(shop, other.email)).some((mail) => mail.subject === subject));
    expect((await mailsTo(shop, desk.email)).filter((mail) => mail.subject === subject)).toEqual([]);
    expect((await mailsTo(shop, other.email)).filter((mail) => mail.subject === subject)).toHaveLength(1);
    await tell(async () => (await toldOf(product.id)).length > 0);
    const { mailed_as } = await shop.deps.db
      .selectFrom('notices')
      .select('mailed_as')
      .where('about_id', '=', product.id)
      .executeTakeFirstOrThrow();
    expect(mailed_as).toBeNull();

    await choose({ 'new-order': 'off', 'sold-out': 'off' });
    const [unheard] = [await buy(product)];
    await lookAtStockBy(await makeProduct(shop.deps));
    expect(await toldOf(unheard)).toEqual([]);
    expect(await toldOf(product.id)).toEqual([`Low stock, 1 left: ${product.name}`]);
    await choose({ 'new-order': 'digest', 'sold-out': 'each' }, [me?._id ?? '']);
    const entries = await shop.deps.db
      .selectFrom('audit_log')
      .select('summary')
      .where('action', '=', 'notices.set')
      .execute();
    expect(entries.at(-1)?.summary).toContain(`New orders: digest`);
    expect(entries.at(-1)?.summary).toContain(`mails to ${desk.email}`);
  });

  it('keep the choice for administrators that the form did not show: a blocked and a new one', async () => {
    const blocked = await makeUser(shop.deps, { role: 'admin' });
    const setBlocked = (blocked_at: Date | null) =>
      shop.deps.db.updateTable('users').set({ blocked_at }).where('id', '=', blocked.id).execute();
    await setBlocked(new Date());
    const { deliveries, recipients: shown } = await settings();
    const added = await makeUser(shop.deps, { role: 'admin' });
    await putSettings({ deliveries: { ...deliveries, alert: 'dashboard' }, recipients: shown });
    await setBlocked(null);
    const ids = [blocked.id, added.id];
    const known = (await settings()).recipients.filter(({ _id }) => ids.includes(_id));
    expect(known.map(({ isMailed }) => isMailed)).toEqual([true, true]);
  });

  it('reject a stale version, unless the values are the same', async () => {
    const { version, deliveries, recipients } = await settings();
    const save = async (alert: NoticeDelivery) =>
      (await putSettings({ version, deliveries: { ...deliveries, alert }, recipients })).status;
    expect((await Promise.all([save('off'), save('digest')])).sort()).toEqual([200, 409]);
    const { alert } = (await settings()).deliveries;
    expect(await save(alert)).toBe(200);
    expect(await settings()).toMatchObject({ version: version + 1, deliveries: { alert } });
  });

  it('send no waiting mail to a user who is no longer an administrator', async () => {
    const left = await makeUser(shop.deps, { role: 'admin' });
    const all = (await settings()).recipients.map(({ _id }) => _id);
    await choose({ 'new-order': 'each' }, all);
    await holdMailJobs(shop);
    await buy(await makeProduct(shop.deps));
    await tell(async () => {
      const mails = shop.deps.db.selectFrom('mails').select('id').where('recipient', '=', left.email);
      return (await mails.execute()).length > 0;
    });
    await shop.deps.db.updateTable('users').set({ role: 'customer' }).where('id', '=', left.id).execute();
    expect(await mailsTo(shop, left.email)).toEqual([]);
  });

  /** Checks the stock levels, until the level of this product is known. */
  const lookAtStockBy = (product: MadeProduct) =>
    tell(async () => {
      const known = shop.deps.db.selectFrom('stock_levels').select('level').where('product_id', '=', product.id);
      return (await known.execute()).length > 0;
    });
});

describe('the list of notifications', () => {
  it('is searched by product and order number; a problem report is found by the number of its order', async () => {
    const product = await makeProduct(shop.deps, { name: '100%_sure Pinball', items: 1 });
    await lookAtStock();
    const orderId = await buy(product);
    await lookAtStock();
    const reports = await openReportDesk(shop);
    const reported = await reports.buy({ quantity: 1 });
    await reported.report();
    const found = async (q: string) => {
      const { status, body } = await desk.admin.get(`/api/admin/notices?${new URLSearchParams({ q })}`);
      expect([status, body['total']]).toEqual([200, (body.data as unknown as OwnerNotice[]).length]);
      return (body.data as unknown as OwnerNotice[]).map(noticeTitle);
    };
    expect(await found('100%_SURE pin')).toEqual(['Sold out: 100%_sure Pinball']);
    expect(await found('1000_sure')).toEqual([]);
    expect(await found(`#${orderNumber(orderId).toLowerCase()}`)).toEqual([
      `New order #${orderNumber(orderId)}: $10.60`,
    ]);
    expect((await found(orderNumber(reported.orderId))).toSorted()).toEqual([
      `A buyer reports a problem (order #${orderNumber(reported.orderId)})`,
      expect.stringMatching(/^New order #/),
    ]);
  });

  it('is newest first, page by page, and is marked as read one by one or up to the last one seen', async () => {
    const [product] = [await makeProduct(shop.deps, { items: 3 })];
    const orderIds = [await buy(product), await buy(product), await buy(product)];
    const read = async (query: string) => (await desk.admin.get(`/api/admin/notices?${query}`)).body;
    const ours = (body: Awaited<ReturnType<typeof read>>) =>
      (body.data as unknown as Awaited<ReturnType<typeof notices>>).filter(
        ({ kind, order }) => kind === 'new-order' && orderIds.includes(order?._id ?? ''),
      );
    const all = ours(await read('limit=50'));
    expect(all.map(({ order }) => order?._id)).toEqual(orderIds.toReversed());
    const page = await read('limit=1');
    const next = await read(`limit=1&cursor=${page['nextCursor']}`);
    expect((page.data as unknown as object[]).length + (next.data as unknown as object[]).length).toBe(2);
    expect(page.data).not.toEqual(next.data);

    const [third, second, first] = all;
    const mark = (id: string | undefined, older: boolean) =>
      desk.admin.post(`/api/admin/notices/${id}/read`, { older });
    expect((await mark(second?._id, true)).status).toBe(200);
    expect(ours(await read('unread=true')).map(({ _id }) => _id)).toEqual([third?._id]);
    expect(all.map(({ isRead }) => isRead)).toEqual([false, false, false]);
    expect((await mark(first?._id, false)).status).toBe(200);
    expect((await mark(third?._id, false)).status).toBe(200);
    expect(ours(await read('unread=true'))).toEqual([]);
    expect((await mark(uuidv7(), false)).status).toBe(404);
    const { body } = await desk.admin.get('/api/admin/stats');
    expect(body.data?.['unreadNotices']).toBe((await read('unread=true'))['total']);
  });
});
