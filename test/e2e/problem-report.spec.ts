import { randomUUID } from 'node:crypto';
import { expect, type Page, type Route } from '@playwright/test';
import sharp from 'sharp';
import { orderNumber } from '../../src/shared/format.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere, pageWidth } from './looks-right.ts';

// Not one that was closed and still fades.
const dialog = (page: Page) => page.locator('dialog[open]');
const report = (page: Page) => page.getByRole('region', { name: 'Problem report: It was used already' });
const messages = (page: Page) => page.getByRole('list', { name: 'Messages' }).getByRole('listitem');

test('a buyer reports a key with a picture, the shop replies and replaces it, and both see the conversation', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
  otherBrowser,
  signedIn,
  complaints,
}) => {
  test.slow();
  const product = await stockUp({ items: 3, warranty_days: 30 });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  await buyer.goto(`/order-items/${orderId}`);
  const faulty = await readFirstKey(buyer);
  await expect(buyer.getByText(/^Warranty until/)).toHaveCount(2);
  await buyer.getByRole('button', { name: 'Report a problem with item 1' }).click();
  await dialog(buyer).getByRole('button', { name: 'Send the report' }).click();
  await expect(dialog(buyer).getByRole('alert').filter({ hasText: /./ })).toHaveText([
    'Please choose what is wrong',
    'Please describe what happened',
  ]);
  await dialog(buyer).getByLabel('What is wrong?').selectOption('It was used already');
  await dialog(buyer).getByLabel('What happened?').fill('The launcher says\nthat it was redeemed.');
  const picture = sharp({ create: { width: 2400, height: 1200, channels: 3, background: '#c33' } }).png();
  const file = { name: 'screen.png', mimeType: 'image/png', buffer: await picture.toBuffer() };
  // The browser reads the picture only when the test says so.
  await buyer.evaluate(() => {
    const read = window.createImageBitmap;
    window.createImageBitmap = async (picture: ImageBitmapSource) => {
      await new Promise((resolve) => window.addEventListener('read', resolve, { once: true }));
      return read(picture);
    };
  });
  await dialog(buyer).getByLabel('Picture').setInputFiles(file);
  await expect(dialog(buyer).getByRole('button', { name: 'Waiting for the picture...' })).toBeDisabled();
  await buyer.evaluate(() => window.dispatchEvent(new Event('read')));
  await expect(dialog(buyer).getByRole('img', { name: 'The chosen file' })).toBeVisible();
  await dialog(buyer).getByRole('button', { name: 'Send the report' }).click();
  await expect(report(buyer)).toContainText('Waiting for the shop');
  await expect(report(buyer)).toContainText('We answer by');
  await expect(report(buyer).getByRole('img')).toBeVisible();
  await expect(buyer.getByText(/^Warranty until/).first()).toBeFocused();
  await expect(buyer.getByRole('button', { name: /^Report a problem/ })).toHaveCount(1);
  await looksRightEverywhere(buyer);

  await page.goto('/admin?tab=problem-reports');
  const row = page.getByRole('article').filter({ hasText: product.name });
  await expect(row).toContainText('To be answered');
  await row.getByRole('link').click();
  await expect(messages(page)).toContainText(['that it was redeemed.']);
  await page.getByRole('button', { name: 'Enlarge: Picture of the problem' }).click();
  await expect(dialog(page).getByRole('img')).toHaveJSProperty('naturalWidth', 1600);
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await expect(page.getByText('Please write an answer')).toBeVisible();
  await page.getByLabel('Your answer').fill('Which launcher is it?');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await expect(messages(page)).toHaveCount(2);
  await looksRightEverywhere(page);

  await buyer.goto(`/orders/${orderId}`);
  await expect(report(buyer)).toContainText(`${product.name}, item 1`);
  await expect(messages(buyer).last()).toContainText('Which launcher is it?');
  await report(buyer).getByRole('button', { name: 'Write a message' }).click();
  await dialog(buyer).getByLabel('Your message').fill('The one for Linux');
  await dialog(buyer).getByRole('button', { name: 'Send' }).click();
  await expect(messages(buyer)).toHaveCount(3);

  // The page was opened before the buyer wrote again.
  await page.getByLabel('Your answer').fill('Half an answer');
  complaints.expectFailedRequest(/^\/api\/admin\/problem-reports\/.*\/replace$/, 409);
  await page.getByRole('button', { name: 'Replace item' }).click();
  await dialog(page).getByRole('button', { name: 'Replace item' }).click();
  await expect(dialog(page).getByRole('alert')).toHaveText('There is a newer message. Please read it first.');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(messages(page)).toHaveCount(3);
  await expect(page.getByLabel('Your answer')).toHaveValue('Half an answer');
  await page.getByRole('button', { name: 'Replace item' }).click();
  await dialog(page).getByRole('button', { name: 'Replace item' }).click();
  await expect(page.getByText('Replaced', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Replace item' })).toHaveCount(0);
  await page.getByRole('link', { name: `#${orderNumber(orderId)}` }).click();
  await expect(page.getByRole('region', { name: 'Problem reports' })).toContainText('Replaced');

  await buyer.goto(`/order-items/${orderId}`);
  await expect(report(buyer)).toContainText('The shop has replaced the item.');
  await expect(buyer.getByText('Replacement', { exact: true })).toBeVisible();
  expect(await readFirstKey(buyer)).not.toBe(faulty);
});

async function readFirstKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show item 1' }).click();
  await expect(page.getByRole('button', { name: 'Hide item 1' })).toBeVisible();
  return (await page.getByRole('code').first().textContent()) ?? '';
}

test('an empty queue and a failed load of the reports each show a message', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
  complaints,
  otherBrowser,
  signedIn,
}) => {
  await page.route('**/api/admin/problem-reports*', (route) =>
    route.fulfill({ json: { success: true, data: [], nextCursor: null, total: 0, hasUncounted: false } }),
  );
  await page.goto('/admin?tab=problem-reports');
  await expect(page.getByRole('heading', { name: 'No problem reports found' })).toBeVisible();
  await looksRightEverywhere(page, [360]);
  await page.unroute('**/api/admin/problem-reports*');
  complaints.expectFailedRequest(/^\/api\/(admin\/)?problem-reports/, 404);
  await page.goto('/admin/problem-reports/01900000-0000-7000-8000-000000000000');
  await expect(page.getByRole('heading', { name: 'Problem report not found' })).toBeVisible();

  const product = await stockUp({ warranty_days: 1 });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  await buyer.route('**/api/problem-reports*', (route) => route.fulfill({ status: 404, json: {} }));
  await buyer.goto(`/order-items/${orderId}`);
  await expect(buyer.getByText('Your problem reports could not be loaded.')).toBeVisible();
  await buyer.unroute('**/api/problem-reports*');
  await buyer.getByRole('button', { name: 'Try again' }).click();
  await expect(buyer.getByRole('button', { name: 'Report a problem with item 1' })).toBeVisible();
});

test('long names of a buyer and a product wrap beside a problem report on a phone', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const word = 'Unbreakable'.repeat(9);
  const customer = await makeUser(shop, { name: word });
  const product = await stockUp({ name: word, warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const { id: item } = await shop.db
    .selectFrom('items')
    .select('id')
    .where('product_id', '=', product.id)
    .executeTakeFirstOrThrow();
  const buyer = createShopper(shop.url);
  await buyer.signIn(customer.email, TEST_PASSWORD);
  const written = { order, item, problem: 'used', text: 'It was redeemed', draft: randomUUID() };
  const { status, body } = await buyer.post('/api/problem-reports', written);
  expect(status).toBe(201);
  const [{ _id: report }] = (body.data as unknown as { reports: [{ _id: string }] }).reports;
  await page.setViewportSize({ width: 360, height: 800 });
  for (const path of [`/admin/problem-reports/${report}`, `/admin/orders/${order}`]) {
    await page.goto(path);
    await expect(page.getByText('It was used already')).toBeVisible();
    expect(await pageWidth(page)).toBe(360);
  }
});

test('a response to a closed dialog does not close another one, and a failure is still shown', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  complaints,
}) => {
  const product = await stockUp({ warranty_days: 30 });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const notified = page.getByRole('region', { name: 'Notifications' });
  const button = (name: string) => dialog(page).getByRole('button', { name, exact: true });
  const close = () => button('Close').click();
  /** Answers the next call to `path` once the returned function is called; the call fails if `status` is given. */
  async function delay(path: string, status?: number) {
    const isClosed = Promise.withResolvers<void>();
    const late = async (route: Route) => {
      await isClosed.promise;
      await (status ? route.fulfill({ status, json: {} }) : route.continue());
    };
    await page.route(path, late, { times: 1 });
    return isClosed.resolve;
  }
  const [reports, message, withdrawal] = ['', '/*/messages', '/*/withdraw'].map((end) => `/api/problem-reports${end}`);
  complaints.expectFailedRequest(/^\/api\/problem-reports/, 503);
  await signedIn(page, customer);
  await page.goto(`/order-items/${orderId}`);

  async function fillReport() {
    await page.getByRole('button', { name: 'Report a problem with item 1' }).click();
    await dialog(page).getByLabel('What is wrong?').selectOption('It was used already');
    await dialog(page).getByLabel('What happened?').fill('It says so.');
  }
  let answer = await delay(reports ?? '', 503);
  await fillReport();
  await button('Send the report').click();
  await close();
  answer();
  await expect(notified).toContainText('Your report could not be sent');
  await fillReport();
  await button('Send the report').click();
  await expect(report(page)).toBeVisible();

  async function send(text: string) {
    await page.getByRole('button', { name: 'Write a message' }).click();
    await dialog(page).getByLabel('Your message').fill(text);
    await button('Send').click();
    await close();
  }
  answer = await delay(message ?? '', 503);
  await send('It fails.');
  answer();
  await expect(notified).toContainText('Your message could not be sent');
  answer = await delay(message ?? '');
  await send('It arrives late.');
  await page.getByRole('button', { name: 'Close the report' }).click();
  answer();
  await expect(messages(page)).toHaveCount(2);
  await expect(button('Close the report')).toBeVisible();

  answer = await delay(withdrawal ?? '', 503);
  await button('Close the report').click();
  await close();
  answer();
  await expect(notified).toContainText('The report could not be closed');
  answer = await delay(withdrawal ?? '');
  await page.getByRole('button', { name: 'Close the report' }).click();
  await expect(dialog(page).getByRole('alert')).toHaveCount(0);
  await button('Close the report').click();
  await close();
  await page.getByRole('button', { name: 'Write a message' }).click();
  await dialog(page).getByLabel('Your message').fill('Half a message');
  answer();
  await expect(report(page)).toContainText('You have closed this report.');
  await expect(dialog(page).getByLabel('Your message')).toHaveValue('Half a message');
});

test('a changed message after a lost response is not reported as sent, and can be sent as a second one', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  complaints,
}) => {
  const product = await stockUp({ warranty_days: 30 });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto(`/order-items/${orderId}`);
  await page.getByRole('button', { name: 'Report a problem with item 1' }).click();
  await dialog(page).getByLabel('What is wrong?').selectOption('It was used already');
  await dialog(page).getByLabel('What happened?').fill('It says so.');
  await dialog(page).getByRole('button', { name: 'Send the report' }).click();
  await expect(messages(page)).toHaveCount(1);

  complaints.expectBrokenConnection(/\/messages$/);
  complaints.expectFailedRequest(/\/messages$/, 409);
  const lost = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route('/api/problem-reports/*/messages', lost, { times: 1 });
  await page.getByRole('button', { name: 'Write a message' }).click();
  const send = () => dialog(page).getByRole('button', { name: 'Send' }).click();
  await dialog(page).getByLabel('Your message').fill('The one for Linux');
  await send();
  await expect(dialog(page).getByRole('alert')).toContainText('We could not reach the shop');
  await expect(messages(page)).toContainText(['It says so.', 'The one for Linux']);
  await dialog(page).getByLabel('Your message').fill('The one for Windows');
  await send();
  await expect(dialog(page).getByRole('alert')).toContainText('An earlier try has sent this already');
  await send();
  await expect(dialog(page)).toHaveCount(0);
  await expect(messages(page)).toContainText(['It says so.', 'The one for Linux', 'The one for Windows']);
});
