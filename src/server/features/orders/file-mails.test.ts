import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import type { MadeProduct } from '../../../../test/factories.ts';
import { buyFile, makeFileProduct, uploadProductFile } from '../../../../test/product-files.ts';
import { holdMailJobs, mailsTo } from '../../../../test/sent-mails.ts';
import type { Shopper } from '../../../../test/shopper.ts';
import { signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { enqueueFileMails, listOrdersToNotify, lockFileVersion } from './file-mails.ts';

const patience = { timeout: 30_000, interval: 50 };

const shop = await openTestShop();
const desk = await openAdminOrders(shop);

async function buy(product: MadeProduct) {
  const bought = await buyFile(shop, product);
  const { contact_email: email } = await orderOf(bought.orderId);
  return { ...bought, email };
}

const orderOf = (id: string) =>
  shop.deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const mailsAbout = (fileId: string) =>
  shop.deps.db.selectFrom('mails').selectAll().where('file_id', '=', fileId).orderBy('id').execute();

async function publishNext(admin: Shopper, { id }: MadeProduct, body: object) {
  const content = randomBytes(1_000);
  const { fileId, publish } = await uploadProductFile(admin, id, { name: 'Second edition.pdf', content });
  expect((await publish(body)).status).toBe(200);
  return fileId;
}

describe('the buyers of a file', () => {
  it('are notified of a new version once each, however many orders they have', async () => {
    const { product, admin } = await makeFileProduct(shop);
    const [twice, other] = [await buy(product), await buy(product)];
    shop.pass(11 * MINUTE_MS);
    await twice.buyer.buy([{ product, quantity: 1 }]);
    const fileId = await publishNext(admin, product, { tellBuyers: true });
    const later = await buy(product);
    await vi.waitFor(async () => expect(await mailsAbout(fileId)).toHaveLength(2), patience);
    for (const { email } of [twice, other]) {
      const told = (await mailsTo(shop, email)).filter(({ subject }) => subject.includes('new version'));
      expect(told).toHaveLength(1);
      expect(told[0]?.subject).toBe(`There is a new version of “${product.name}”`);
      expect(told[0]?.text).toContain('The file is Second edition.pdf, 1000 bytes');
    }
    expect((await mailsTo(shop, later.email)).map(({ subject }) => subject)).not.toContainEqual(
      expect.stringContaining('new version'),
    );
    const { data } = (await admin.get(`/api/digital-products/${product.id}/files`)).body;
    expect(data).toMatchObject([
      { version: 2, tellsBuyers: true },
      { version: 1, tellsBuyers: false },
    ]);
    expect((await desk.page(other.orderId)).timeline.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('Mail “There is a new version of your file” sent to'),
    );
  });

  it('are notified at a lower priority than the mails of new orders', async () => {
    const { product, admin } = await makeFileProduct(shop);
    const { orderId } = await buy(product);
    const fileId = await publishNext(admin, product, { tellBuyers: true });
    await vi.waitFor(async () => expect(await mailsAbout(fileId)).toHaveLength(1), patience);
    const { rows } = await sql`
      SELECT mails.kind, job.priority FROM mails JOIN jobs.job ON data->>'mailId' = mails.id::text
      WHERE order_id = ${orderId} ORDER BY mails.id`.execute(shop.deps.db);
    expect(rows).toEqual([
      { kind: 'order-delivered', priority: 1 },
      { kind: 'file-updated', priority: -1 },
    ]);
  });

  it('are notified only of versions whose upload asked for it', async () => {
    const { product, admin } = await makeFileProduct(shop);
    await buy(product);
    const silent = await publishNext(admin, product, {});
    const told = await publishNext(admin, product, { tellBuyers: true });
    await vi.waitFor(async () => expect(await mailsAbout(told)).toHaveLength(1), patience);
    await enqueueFileMails(shop.deps, { fileId: silent });
    expect(await mailsAbout(silent)).toEqual([]);
  });

  it('are notified in batches, each once even if the job runs again', async () => {
    const { product, admin } = await makeFileProduct(shop);
    for (let n = 0; n < 3; n += 1) await buy(product);
    const fileId = await publishNext(admin, product, {});
    await shop.deps.db.updateTable('product_files').set({ tells_buyers: true }).where('id', '=', fileId).execute();
    await Promise.all([enqueueFileMails(shop.deps, { fileId }, 1), enqueueFileMails(shop.deps, { fileId }, 1)]);
    await vi.waitFor(async () => expect(await mailsAbout(fileId)).toHaveLength(3), patience);
    await enqueueFileMails(shop.deps, { fileId });
    const mails = await mailsAbout(fileId);
    expect(mails).toHaveLength(3);
    expect(new Set(mails.map(({ recipient }) => recipient)).size).toBe(3);
  });

  it('are not notified after a refund, after their download days or while their account is blocked', async () => {
    const { db } = shop.deps;
    const { product, admin } = await makeFileProduct(shop, { download_days: 5 });
    const [expired, refunded, blocked] = [await buy(product), await buy(product), await buy(product)];
    const [kept, regretful] = [await buy(product), await buy(product)];
    const delivered_at = new Date(shop.deps.clock.now().getTime() - 6 * DAY_MS);
    await db.updateTable('items').set({ delivered_at }).where('id', '=', expired.itemId).execute();
    await desk.act(refunded.orderId, 'refund', { reason: 'Wrong book' });
    const { user_id: userId } = await orderOf(blocked.orderId);
    await db.updateTable('users').set({ blocked_at: delivered_at }).where('id', '=', userId).execute();
    await holdMailJobs(shop);
    const fileId = await publishNext(admin, product, { tellBuyers: true });
    await enqueueFileMails(shop.deps, { fileId });
    expect((await mailsAbout(fileId)).map(({ order_id }) => order_id)).toEqual([kept.orderId, regretful.orderId]);

    await desk.act(regretful.orderId, 'refund', { reason: 'Wrong book' });
    const subjects = async (email: string) => (await mailsTo(shop, email)).map(({ subject }) => subject);
    expect(await subjects(kept.email)).toContain(`There is a new version of “${product.name}”`);
    expect(await subjects(regretful.email)).not.toContain(`There is a new version of “${product.name}”`);
  });

  it('are not notified after their download days where summer time ended meanwhile', async () => {
    const { db } = shop.deps;
    const { product, admin } = await makeFileProduct(shop, { download_days: 180 });
    const { itemId, orderId } = await buy(product);
    const delivered_at = new Date('2020-07-01T12:00:00Z');
    await db.updateTable('items').set({ delivered_at }).where('id', '=', itemId).execute();
    const fileId = await publishNext(admin, product, {});
    const listed = (now: string) =>
      db.transaction().execute(async (trx) => {
        await sql`SET LOCAL TIME ZONE 'America/New_York'`.execute(trx);
        const file = await lockFileVersion(trx, fileId);
        return file && listOrdersToNotify(trx, file, { after: NIL, limit: 10, now: new Date(now) });
      });
    expect(await listed('2020-12-28T11:59:00Z')).toMatchObject([{ id: orderId }]);
    expect(await listed('2020-12-28T12:01:00Z')).toEqual([]);
  });

  it('get a link to their other order if the order of the mail was refunded meanwhile', async () => {
    const { product, admin } = await makeFileProduct(shop);
    const { browser, user } = await signedInUser(shop);
    const orders = [await browser.buy([{ product, quantity: 1 }]), await browser.buy([{ product, quantity: 1 }])];
    await holdMailJobs(shop);
    const fileId = await publishNext(admin, product, { tellBuyers: true });
    await enqueueFileMails(shop.deps, { fileId });
    const [mail, ...others] = await mailsAbout(fileId);
    expect([mail?.order_id, others]).toEqual([orders[0]?.orderId, []]);
    await desk.act(orders[0]?.orderId ?? '', 'refund', { reason: 'Bought twice' });
    const [told] = (await mailsTo(shop, user.email)).filter(({ subject }) => subject.includes('new version'));
    expect(told?.text).toContain(`/order-items/${orders[1]?.orderId}`);
  });
});
