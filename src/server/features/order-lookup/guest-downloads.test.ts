import { expect, it } from 'vitest';
import { createLookupDesk } from '../../../../test/order-lookups.ts';
import { makeFileProduct, readDownload } from '../../../../test/product-files.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import type { OpenedOrder } from '../../../shared/order-page.ts';
import { settleOrder } from '../checkout/settle-order.ts';

const shop = await openTestShop();
const desk = createLookupDesk(shop);
const sold = await makeFileProduct(shop, { bytes: 1_000 });

/** A guest who has bought the file, and the browser that opened the order by the mailed code. */
async function openByCode(email: string) {
  const { orderId } = await createShopper(shop.url).authorise([{ product: sold.product, quantity: 1 }], { email });
  await settleOrder(shop.deps, orderId);
  const browser = createShopper(shop.url);
  const { body } = await browser.post('/api/order-lookup/guest', { email, orderNumber: orderNumber(orderId) });
  const lookupId = String(body.data?.['lookupId']);
  const code = await desk.codeOf(lookupId);
  const opened = await browser.post('/api/order-lookup/guest/open', { lookupId, code });
  const { delivered } = opened.body.data as unknown as OpenedOrder;
  const item = delivered?.items[0]?.items[0];
  const itemId = item?.id ?? '';
  const ask = async (by = browser, wanted = itemId) => {
    const answer = await by.post('/api/order-lookup/guest/download', { itemId: wanted });
    const cookie =
      answer.headers
        .getSetCookie()
        .find((line) => line.startsWith('download='))
        ?.split(';')[0] ?? '';
    return { ...answer, url: String(answer.body.data?.['url']), cookie };
  };
  const [cookie = ''] = opened.headers.getSetCookie();
  return { orderId, browser, lookupId, cookie, item, itemId, ask };
}

it('the cookie of an opened order is for its downloads, HttpOnly and a day old at most', async () => {
  const { lookupId, cookie } = await openByCode('cookie@example.com');
  const scope = 'Max-Age=86400; Path=/api/order-lookup/guest/download; HttpOnly; SameSite=Lax';
  expect(cookie).toMatch(new RegExp(`^lookup=${lookupId}\\.[\\w-]{43}; ${scope}$`));
});

it('the browser that opened an order by a mailed code can download its file, and the reveal is recorded', async () => {
  const { orderId, item, itemId, ask } = await openByCode('reads@example.com');
  expect(item).toMatchObject({ content: null, viewed: false, file: { name: 'Guide.pdf', bytes: 1_000 } });
  const grant = await ask();
  expect((await readDownload(shop.url, grant)).content.equals(sold.content)).toBe(true);
  const reveals = shop.deps.db.selectFrom('reveals').select(['order_id', 'user_id']).where('item_id', '=', itemId);
  expect(await reveals.execute()).toEqual([{ order_id: orderId, user_id: null }]);
});

it('another browser, an item of another order or a day-old lookup cannot download the file', async () => {
  const [own, other] = [await openByCode('own@example.com'), await openByCode('other@example.com')];
  expect((await own.ask(createShopper(shop.url))).status).toBe(404);
  expect((await own.ask(own.browser, other.itemId)).status).toBe(404);
  const forger = createShopper(shop.url);
  forger.cookies.set('lookup', `${own.browser.cookies.get('lookup')?.slice(0, -1)}`);
  expect((await own.ask(forger)).status).toBe(404);
  expect((await own.ask()).status).toBe(200);
  shop.pass(24 * HOUR_MS);
  expect((await own.ask()).status).toBe(404);
});

it('the download access ends when the email of the order is corrected', async () => {
  const { orderId, ask } = await openByCode('wrong@example.com');
  const grant = await ask();
  const corrected = { contact_email: 'right@example.com' };
  await shop.deps.db.updateTable('orders').set(corrected).where('id', '=', orderId).execute();
  expect((await ask()).status).toBe(404);
  expect((await readDownload(shop.url, grant)).status).toBe(404);
});
