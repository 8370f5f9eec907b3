import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { loseDispute } from '../../../../test/lost-dispute.ts';
import { holdMailJobs, mailsTo } from '../../../../test/sent-mails.ts';
import { CARDS, createShopper, GUEST_PASSWORD } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { enqueueMail } from '../mails/send-mail.ts';

// Mails of the shop while its mail server is away: they are sent only when the test reads them.
const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);
const provider = await openProviderDesk(shop.deps.db, shop.deps.clock);
await holdMailJobs(shop);

let guests = 0;

/** An order of units of 10.60 whose mails are all sent so far, and what a test does with it. */
async function buy(quantity: number, card: string = CARDS.slowRefund) {
  guests += 1;
  const guest = { email: `late-mail-${guests}@example.com`, password: GUEST_PASSWORD };
  const product = await makeProduct(shop.deps, { items: quantity + 1, warranty_days: 30 });
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity }], guest, card);
  const { paymentResult, lines } = await desk.page(orderId);
  const intentId = paymentResult?.id ?? '';
  let read = (await mailsTo(shop, guest.email)).length;
  return {
    orderId,
    email: guest.email,
    item: lines[0]?.items[0]?._id,
    refund: (body: object = {}) => desk.act(orderId, 'refund', { reason: 'Broken', ...body }),
    refundUnit: () => desk.act(orderId, 'refund', { reason: 'Broken', lines: [{ line: lines[0]?._id, quantity: 1 }] }),
    settleFailed: async () => {
      const failed = (await desk.page(orderId)).refunds.find(({ state }) => state === 'failed');
      const { _id: refund, attempt } = failed ?? {};
      return desk.act(orderId, 'settle-refund', { refund, attempt, reason: 'Bank transfer' });
    },
    /** Ends a refund at the bank: the newest unless another is named. */
    end: async (status: 'succeeded' | 'failed', refundId?: string) => {
      await provider.endRefund(intentId, { status, refundId });
      expect(await provider.deliver(shop.url, provider.writeEvent('refund.updated', intentId))).toBe(200);
    },
    /** Sends what waits, and returns the mails since the last time. */
    newMails: async () => {
      const mails = (await mailsTo(shop, guest.email)).slice(read);
      read += mails.length;
      return mails;
    },
  };
}

describe('a delayed mail about a refund', () => {
  it('is one mail about the whole when a part and then the rest was refunded', async () => {
    const order = await buy(2, CARDS.good);
    await order.refund({ amount: 3 });
    expect((await order.refund()).page).toMatchObject({ state: 'refunded' });
    const [mail, ...others] = await order.newMails();
    expect(others).toEqual([]);
    expect(mail?.subject).toMatch(/^Your order \w+ has been refunded$/);
    expect(mail?.text).toContain('$3.00 went back');
    expect(mail?.text).toContain('$18.20 went back');
  });

  it.each(['of a part', 'of the whole order'])(
    'does not announce a refund %s that the bank has returned since',
    async (what) => {
      const order = await buy(2);
      if (what === 'of a part') await order.refundUnit();
      else await order.refund();
      await order.end('succeeded');
      await order.end('failed');
      expect((await order.newMails()).map(({ subject }) => subject)).toEqual([
        expect.stringContaining('did not reach you'),
      ]);
    },
  );

  it('names only the refund that the bank returned, not a refund under way', async () => {
    const order = await buy(3);
    await order.refundUnit();
    await order.end('succeeded');
    await order.newMails();
    const [first] = await shop.deps.db
      .selectFrom('refunds')
      .selectAll()
      .where('order_id', '=', order.orderId)
      .execute();
    await order.refundUnit();
    await order.end('failed', first?.provider_id ?? '');
    const [mail] = await order.newMails();
    expect(mail?.text).toContain('sent back');
    expect(mail?.text).toContain('$10.60');
    expect(mail?.text).not.toContain('$21.20');
  });
});

it('a refund settled in another way is not announced as paid to the card', async () => {
  const order = await buy(1);
  await order.refund();
  await order.end('failed');
  expect((await order.settleFailed()).page).toMatchObject({ state: 'refunded' });
  const mail = (await order.newMails()).at(-1);
  expect(mail?.text).toContain('$10.60 was given back in another way');
  expect(mail?.text).not.toMatch(/your card/);
});

describe('delayed mails about items', () => {
  it.each(['refunded', 'disputed'])(
    'are skipped once the order is %s, and no longer wait on its page',
    async (state) => {
      const order = await buy(2, state === 'disputed' ? CARDS.good : CARDS.slowRefund);
      expect((await desk.act(order.orderId, 'resend-mail', {})).status).toBe(200);
      expect((await desk.act(order.orderId, 'replace-item', { item: order.item, reason: 'Used' })).status).toBe(200);
      if (state === 'refunded') await order.refund();
      else await loseDispute(shop.deps, order.orderId);
      expect(await order.newMails()).toEqual([]);
      const { mails } = await desk.page(order.orderId);
      expect(mails.filter(({ sentAt }) => sentAt === null)).toEqual([]);
    },
  );
});

it('the mails about a corrected email name the time when its items open only until that time', async () => {
  const { db, clock } = shop.deps;
  const { orderId, email: recipient, newMails } = await buy(1);
  const opening = async (minutes: number) => {
    const items_open_at = new Date(clock.now().getTime() + minutes * 60_000);
    await db.updateTable('orders').set({ items_open_at }).where('id', '=', orderId).execute();
    for (const kind of ['order-email-left', 'order-email-corrected'] as const) {
      await db.transaction().execute((trx) => enqueueMail(shop.deps, trx, { kind, recipient, orderId, userId: null }));
    }
    return (await newMails()).map(({ text }) => /until then nobody|items open on/.test(text));
  };
  expect(await opening(10)).toEqual([true, true]);
  expect(await opening(-10)).toEqual([false, false]);
});
