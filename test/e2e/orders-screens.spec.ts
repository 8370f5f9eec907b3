import { expect, type Page } from '@playwright/test';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { formatMoment } from '../../src/shared/format.ts';
import { makeParcel } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { refund, refundOneAndAlterAnother, replaceUnit, withdraw } from './order-changes.ts';
import type { RealShop } from './real-shop.ts';
import { leaveInStorage, press, signIn } from './steps.ts';

const main = (page: Page) => page.getByRole('main');
const order = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

/** Returns the time of the order as a browser in this machine's time zone shows it. */
async function placedAt(shop: RealShop, orderId: string): Promise<string> {
  const order = shop.db.selectFrom('orders').select('created_at').where('id', '=', orderId);
  return formatMoment((await order.executeTakeFirstOrThrow()).created_at);
}

async function signInAsDemoCustomer(page: Page): Promise<void> {
  await page.goto('/orders');
  await signIn(page, { email: demoAccounts[0]?.email ?? '', password: demoAccounts[0]?.password ?? '' });
  await expect(page.getByRole('heading', { name: 'My Orders' })).toBeVisible();
}

test('digital and physical orders are in one list, newest first, and only digital ones have View Items', async ({
  page,
}) => {
  await signInAsDemoCustomer(page);
  await expect(page.getByRole('article').first()).toBeVisible();
  const times = await page
    .getByRole('article')
    // The first time is that of the order; a parcel has its own.
    .evaluateAll((all) => all.map((article) => Date.parse(article.querySelector('time')?.dateTime ?? '')));
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  await expect(order(page, 'Hollow Lantern')).toContainText('Instant digital delivery');
  const card = order(page, 'Harimau');
  await expect(card).not.toContainText('Instant digital delivery');
  await expect(card).toContainText('Malaysia');
  await expect(card.locator('dl > div')).toHaveText([/^Subtotal\$/, /^Shipping\$/, /^Tax \(6%\)\$/, /^Total\$/]);
  await expect(card.getByRole('link', { name: /View Items/ })).toBeHidden();
  await expect(order(page, 'Hollow Lantern')).not.toContainText('Shipping');
  await looksRightEverywhere(page);

  await order(page, 'Hollow Lantern')
    .getByRole('link', { name: /^View Items/ })
    .click();
  await page.getByRole('button', { name: 'Show item 1' }).first().click();
  await expect(page.getByRole('button', { name: 'Hide item 1' }).first()).toBeVisible();
  await looksRightEverywhere(page);
});

test('a digital order shows number, status, date, total, payment, items and sums', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ price_cents: 1250, items: 2 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  await signedIn(page, customer);
  await page.goto('/orders');
  const card = page.getByRole('article');
  await expect(card.getByRole('heading')).toHaveText(`Order #${id.slice(-8).toUpperCase()}`);
  await expect(card.getByText('Delivered', { exact: true })).toBeVisible();
  await expect(card.locator('time')).toHaveText(await placedAt(shop, id));
  await expect(card.locator('p', { hasText: /^Total/ })).toHaveText('Total $26.50');
  await expect(card).toContainText('Instant digital delivery');
  await expect(card).toContainText('Payment: Card');
  await expect(card.getByText('Paid', { exact: true })).toBeVisible();
  const item = card.getByRole('listitem');
  await expect(item.locator('img')).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await expect(item).toHaveText(`${product.name}Quantity: 2 × $12.50$25.00Review of ${product.name}`);
  await expect(card.locator('dl > div')).toHaveText(['Subtotal$25.00', 'Tax (6%)$1.50', 'Total$26.50']);
  await expect(card).toContainText('Opening the items ends the right of return.');
  await card.getByRole('link', { name: /^View Items/ }).click();
  await expect(page).toHaveURL(`/order-items/${id}`);
});

test('one failed list of orders is ignored, and two failed lists show "Failed to load orders"', async ({
  page,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/orders/myorders', 403);
  complaints.expectFailedRequest('/api/digital-orders/myorders', 403);
  const refuse = (path: string) => page.route(path, (route) => route.fulfill({ status: 403, json: {} }));
  await refuse('/api/orders/myorders');
  await signInAsDemoCustomer(page);
  await expect(order(page, 'Hollow Lantern')).toBeVisible();
  await expect(order(page, 'Harimau')).toBeHidden();
  await expect(page.getByRole('region', { name: 'Notifications' })).toHaveText('');

  await refuse('/api/digital-orders/myorders');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Failed to load orders' })).toBeVisible();
  await looksRightEverywhere(page);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(order(page, 'Harimau')).toBeVisible();
});

test('older orders load page by page, and both kinds stay sorted by date', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000);
  const [newer, older] = [await stockUp(), await stockUp()];
  const setAge = (id: string, days: number) =>
    shop.db
      .updateTable('orders')
      .set({ created_at: daysAgo(days) })
      .where('id', '=', id)
      .execute();
  await setAge(await buyAsCustomer(shop, customer, [{ product: older, quantity: 1 }]), 8);
  await setAge(await buyAsCustomer(shop, customer, [{ product: newer, quantity: 1 }]), 2);
  for (const days of [1, 3, 5, 7, 9]) {
    await makeParcel(shop, { user_id: customer.id, guest: false, created_at: daysAgo(days) }, `Mouse of day ${days}`);
  }
  // Pages of two instead of a hundred.
  await page.route('**/api/*/myorders*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', '2');
    return route.continue({ url: url.href });
  });
  await signedIn(page, customer);
  await page.goto('/orders');
  const cards = main(page).getByRole('article');
  const names = ['Mouse of day 1', newer.name, 'Mouse of day 3', 'Mouse of day 5', 'Mouse of day 7', older.name];
  // The older digital order is loaded, but physical ones that are newer than it are not.
  await expect(cards).toHaveText(names.slice(0, 3).map((name) => new RegExp(name)));
  await press(page, 'Show older orders');
  await expect(cards).toHaveText(names.slice(0, 5).map((name) => new RegExp(name)));
  await press(page, 'Show older orders');
  await expect(cards).toHaveText([...names, 'Mouse of day 9'].map((name) => new RegExp(name)));
  await expect(page.getByRole('button', { name: 'Show older orders' })).toBeHidden();
});

test('the items page shows a security notice, number, date, product, instructions, warranty and help', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  // The picture is broken for this page only: other tests of this shop see the product in their lists.
  const image = '/demo/covers/ember-reach.svg?broken-here';
  const product = await stockUp({
    items: 2,
    image,
    delivery_instructions: 'Open the launcher and choose "Redeem a code".',
    warranty_days: 30,
  });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  await signedIn(page, customer);
  await page.route(
    ({ pathname, search }) => pathname + search === image,
    (route) => route.fulfill({ contentType: 'image/svg+xml', body: '' }),
  );
  await page.goto(`/order-items/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${id.slice(-8).toUpperCase()}`);
  for (const words of [
    `Ordered on ${await placedAt(shop, id)}`,
    'Keep these items to yourself.',
    product.name,
    'digital',
    'Quantity: 2',
    'Delivery Instructions',
    'Open the launcher and choose "Redeem a code".',
    'Warranty: 30 days',
    'Need Help?',
  ]) {
    await expect(main(page)).toContainText(words);
  }
  // The picture does not load, so a placeholder is shown.
  await expect(main(page).locator('img')).toHaveCount(0);
  const items = main(page).getByRole('listitem');
  await expect(items).toHaveCount(2);
  await expect(items.nth(0)).toContainText('Item 1');
  await expect(items.nth(1)).toContainText('Item 2');
  await expect(items.nth(0).locator('time').first()).toHaveText(/^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d GMT\S+$/);
});

test('items are masked by default, marked as viewed at the next visit, and can be copied with 2 s of feedback', async ({
  page,
  context,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp();
  const [key = ''] = product.keys;
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  await page.clock.install();
  await page.goto(`/order-items/${id}`);
  const item = main(page).getByRole('listitem');
  const masked = `${key.slice(0, 4)}••••••••${key.slice(-4)}`;
  await expect(item.getByRole('code')).toHaveText(masked);
  await expect(item).not.toContainText('Viewed');
  await item.getByRole('button', { name: 'Show item 1' }).click();
  await expect(item.getByRole('code')).toHaveText(key);
  await item.getByRole('button', { name: 'Hide item 1' }).click();
  await expect(item.getByRole('code')).toHaveText(masked);
  await page.reload();
  await expect(item).toContainText('Viewed');

  // A browser that refuses to copy says nothing.
  const copy = page.getByRole('button', { name: 'Copy item 1' });
  await expect(copy).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.evaluate(() => {
    Object.defineProperty(navigator.clipboard, 'writeText', {
      configurable: true,
      value: () => Promise.reject(new DOMException('refused', 'NotAllowedError')),
    });
  });
  await copy.click();
  await expect(copy).toBeVisible();
  await expect(page.getByRole('region', { name: 'Notifications' })).toHaveText('');

  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, 'writeText'));
  await copy.click();
  const copied = page.getByRole('button', { name: 'Copied item 1' });
  await expect(copied).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(product.keys[0]);
  await page.clock.runFor(1900);
  await expect(copied).toBeVisible();
  await page.clock.runFor(200);
  await expect(copy).toBeVisible();
});

test('a payment that finishes in the background does not request the shown items again', async ({
  page,
  context,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const id = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  const payment = { orderId: id, path: '/orders', taken: null };
  const tab = await context.newPage();
  await signedIn(page, customer);
  const opened: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(`/api/digital-orders/${id}/items`)) opened.push(request.url());
  });
  await page.goto(`/order-items/${id}`);
  await expect(main(page).getByRole('code')).toBeVisible();
  // Everything else of the buyer is loaded again.
  const reports = page.waitForResponse(/\/api\/problem-reports/);
  await leaveInStorage(tab, { payment: JSON.stringify({ ...payment, phase: 'ready' }) });
  await expect(page.getByRole('status').filter({ hasText: 'Your order is ready' })).toBeVisible();
  await reports;
  expect(opened).toHaveLength(1);
});

test('an order whose items were withdrawn says "No items available. Please contact support."', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp();
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await withdraw(shop, product);
  await signedIn(page, customer);
  await page.goto(`/order-items/${id}`);
  await expect(main(page)).toContainText('No items available. Please contact support.');
});

test('both pages show a partial refund, and an unreadable item does not hide the other items', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ price_cents: 1000, items: 3 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 3 }]);
  await refundOneAndAlterAnother(shop, id, product);
  await signedIn(page, customer);
  await page.goto('/orders');
  await expect(page.getByRole('article')).toContainText('Refunded−$10.60');
  await looksRightEverywhere(page);
  await page.getByRole('link', { name: 'View Items' }).click();
  await expect(main(page)).toContainText(/Quantity: 3\s*1 returned/);
  await expect(main(page)).toContainText('This item cannot be read.');
  await expect(main(page).getByRole('button', { name: 'Show' })).toHaveCount(1);
  await looksRightEverywhere(page);
});

test('a refunded order shows date, amount and card of the refund, in the list and on its page, and no item', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ warranty_days: 30 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await refund(shop, id);
  await signedIn(page, customer);
  await page.goto('/orders');
  const card = page.getByRole('article');
  await expect(card.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(card.getByText('Refunded', { exact: true }).first()).toBeVisible();
  const told = /^\$10\.60 refunded to Visa •••• 4242 on \d+ \w+ \d{4}, \d\d:\d\d GMT\S+$/;
  const refunds = page.getByRole('list', { name: 'Refunds' }).getByRole('listitem');
  await expect(refunds).toHaveText(told);
  await looksRightEverywhere(page);
  await page.getByRole('link', { name: 'View Items' }).click();
  const gone = 'This order was refunded, so its items are no longer shown.';
  await expect(main(page)).toContainText(gone);
  await expect(refunds).toHaveText(told);
  await expect(main(page)).toContainText(`${product.name}digitalQuantity: 11 returned`);
  await expect(main(page).getByRole('code')).toHaveCount(0);
  await expect(main(page)).not.toContainText('Warranty');
  await looksRightEverywhere(page);
});

test('a partial refund names the returned item, keeps the numbers of the others, and marks a replacement', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ items: 4, warranty_days: 30 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 3 }]);
  // Units that were not seen are withdrawn first, so the second one is refunded.
  const ofProduct = shop.db.updateTable('items').where('product_id', '=', product.id);
  await ofProduct.set({ first_viewed_at: new Date() }).where('unit', '<>', 2).execute();
  await refund(shop, id, 1);
  await replaceUnit(shop, id, 3);
  await signedIn(page, customer);
  await page.goto(`/order-items/${id}`);
  await expect(page.getByRole('list', { name: 'Refunds' })).toContainText(
    `$10.60 for 1 × ${product.name} refunded to Visa •••• 4242`,
  );
  const items = main(page).getByRole('list').filter({ hasText: 'Item 1' }).getByRole('listitem');
  await expect(items).toHaveText([
    /^Item 1Viewed/,
    'Item 2Returned for a refund, so it is no longer shown.',
    /^Item 3Replacement/,
  ]);
  await expect(main(page).getByRole('button', { name: 'Show' })).toHaveCount(2);
  await looksRightEverywhere(page);
});

test('items that fail to load show "Access Denied", the reason and a link back', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  const id = '01990000-0000-7000-8000-000000000000';
  const path = `/api/digital-orders/${id}/items`;
  complaints.expectFailedRequest(path, 404);
  complaints.expectFailedRequest(path, 403);
  complaints.expectFailedRequest(path, 503);
  await signedIn(page, customer);
  await page.goto(`/order-items/${id}`);
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible();
  await expect(main(page).getByRole('alert')).toHaveText('Order not found');
  await looksRightEverywhere(page);
  await page.route(path, (route) => route.fulfill({ status: 403, json: {} }));
  await page.reload();
  await expect(main(page).getByRole('alert')).toHaveText('Failed to load order items');
  // They are asked for again once the tab is shown again.
  await page.unrouteAll();
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(main(page).getByRole('alert')).toHaveText('Order not found');
  await expect(main(page).getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await page.route(path, (route) => route.fulfill({ status: 503, json: {} }));
  await page.reload();
  await expect(main(page).getByRole('alert')).toHaveText('Failed to load order items');
  await page.unrouteAll();
  await main(page).getByRole('button', { name: 'Try again' }).click();
  await expect(main(page).getByRole('alert')).toHaveText('Order not found');
  await main(page).getByRole('link', { name: 'Back to Orders' }).click();
  await expect(page).toHaveURL('/orders');
});
