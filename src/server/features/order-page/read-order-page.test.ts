import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { makeGoods, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createLookupDesk } from '../../../../test/order-lookups.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { orderNumber } from '../../../shared/format.ts';
import type { OrderPage } from '../../../shared/order-page.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);

const askFor = (buyer: Shopper, orderId: string) => buyer.get(`/api/orders/mine/${orderId}`);
const pageOf = async (buyer: Shopper, orderId: string) =>
  (await askFor(buyer, orderId)).body.data as unknown as OrderPage;
const stepsOf = ({ timeline }: OrderPage) => timeline.map(({ kind, text }) => `${kind}: ${text}`);

describe('the page of an order', () => {
  it('lists the events of its parcels, items and money, oldest first', async () => {
    const buyer = createShopper(shop.url);
    const mouse = await makeGoods(shop.deps, 'physical', 2);
    const game = await makeProduct(shop.deps, { items: 3, warranty_days: 30 });
    const cart = [
      { product: mouse, quantity: 2 },
      { product: game, quantity: 2 },
    ];
    const { orderId } = await buyer.buy(cart, { email: 'page-of-parcels@example.com' });
    const [mice, keys] = (await desk.page(orderId)).lines;
    const ship = (trackingNumber: string) =>
      desk.act(orderId, 'ship', { carrier: 'DHL', trackingNumber, lines: [{ line: mice?._id, quantity: 1 }] });
    const { page } = await ship('123');
    await desk.act(orderId, 'deliver-parcel', { parcel: page.parcels[0]?._id });
    await desk.act(orderId, 'replace-item', { item: keys?.items[0]?._id, reason: 'The key was used before' });
    const body = {
      reason: 'Rude on the phone',
      message: 'Sorry for the wait',
      lines: [{ line: keys?._id, quantity: 1 }],
    };
    await desk.act(orderId, 'refund', body);

    const shown = await pageOf(buyer, orderId);
    expect(shown).toMatchObject({ _id: orderId, status: 'Processing', refundStatus: 'Partly refunded' });
    expect(shown.parcels).toMatchObject([{ carrier: 'DHL', trackingUrl: expect.stringContaining('123') }]);
    expect(shown.refunds).toMatchObject([{ amount: 10.6, message: 'Sorry for the wait' }]);
    expect(stepsOf(shown)).toEqual([
      'placed: Order placed',
      'paid: Paid $48.30 by card',
      'delivered: Digital items delivered',
      'shipped: Parcel 1 shipped with DHL',
      'delivered: Parcel 1 delivered',
      `replaced: A faulty item of ${game.name} was replaced`,
      `refund-started: Refund of $10.60 for 1 × ${game.name} begun`,
      'refunded: $10.60 given back to Visa •••• 4242',
    ]);
    expect(JSON.stringify(shown)).not.toContain('Rude');
    const mail = (await mailsTo(shop, 'page-of-parcels@example.com')).at(-1);
    expect(mail?.text).toContain('We add: Sorry for the wait');
    expect(mail?.text).toContain(`/orders/${orderId}`);
    expect(mail?.text).not.toContain('Rude');
  });

  it('names what the payment delivered if a person delivers the rest', async () => {
    const buyer = createShopper(shop.url);
    const game = await makeProduct(shop.deps, { items: 2 });
    const gems = await makeProduct(shop.deps, { items: 0, delivery: 'manual' });
    const cart = [
      { product: gems, quantity: 1 },
      { product: game, quantity: 2 },
    ];
    const { orderId } = await buyer.buy(cart, { email: 'gems-and-keys@example.com' });
    const delivered = [`delivered: 2 × ${game.name} delivered`];
    const events = ({ timeline }: { timeline: { kind: string; text: string }[] }) =>
      timeline.filter(({ kind }) => kind === 'delivered').map(({ kind, text }) => `${kind}: ${text}`);
    expect(events(await pageOf(buyer, orderId))).toEqual(delivered);
    expect(events(await desk.page(orderId))).toEqual(delivered);
    const [line] = (await desk.page(orderId)).lines;
    await desk.act(orderId, 'deliver-unit', { line: line?._id, unit: 1, content: 'GEMS-SENT' });
    expect(events(await pageOf(buyer, orderId))).toEqual([...delivered, `delivered: ${gems.name} delivered`]);
  });

  it('omits a replacement that was returned and sold to another buyer', async () => {
    const { orderId, buyer, products } = await buyAsGuest(shop, { quantity: 1, items: 2, warranty_days: 30 });
    const [product] = products;
    if (!product) throw new Error('There is no product');
    const [faulty] = (await desk.page(orderId)).lines[0]?.items ?? [];
    await desk.act(orderId, 'replace-item', { item: faulty?._id, reason: 'Faulty' });
    expect((await pageOf(buyer, orderId)).timeline.map(({ kind }) => kind)).toContain('replaced');
    await desk.act(orderId, 'refund', { reason: 'Sorry' });
    const items = shop.deps.db.selectFrom('items').select('id').where('product_id', '=', product.id);
    const other = await items.where('id', '<>', faulty?._id ?? '').executeTakeFirstOrThrow();
    await desk.admin.post(`/api/digital-products/${product.id}/inventory/${other.id}/restore`, { reason: 'Unread' });
    shop.pass(60_000);
    await createShopper(shop.url).buy([{ product, quantity: 1 }], { email: 'next-buyer@example.com' });
    expect((await pageOf(buyer, orderId)).timeline.map(({ kind }) => kind)).not.toContain('replaced');
  });

  it('is not found for another user or an unpaid order', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    const stranger = createShopper(shop.url);
    await stranger.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    expect(await askFor(stranger, orderId)).toMatchObject({ status: 404, body: { message: 'Order not found' } });
    const unpaid = await stranger.openPayment([{ product: await makeProduct(shop.deps), quantity: 1 }]);
    expect((await askFor(stranger, unpaid.body.orderId ?? '')).status).toBe(404);
  });

  it('also opens with a mailed code', async () => {
    const { orderId, guest, buyer } = await buyAsGuest(shop, { quantity: 1 });
    const lookups = createLookupDesk(shop);
    const lookupId = await lookups.askFor(guest.email, orderNumber(orderId));
    const opened = await lookups.open(lookupId, await lookups.codeOf(lookupId));
    expect((opened.body.data?.['order'] as OrderPage | undefined)?.timeline).toEqual(
      (await pageOf(buyer, orderId)).timeline,
    );
  });
});
