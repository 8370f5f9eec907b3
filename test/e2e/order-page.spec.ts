import { expect, type Page } from '@playwright/test';
import { orderNumber } from '../../src/shared/format.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { refund } from './order-changes.ts';

test('the page of an order shows its items, its payment and its events', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ price_cents: 1250, items: 2 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  await refund(shop, id, 1);
  await signedIn(page, customer);
  await page.goto('/orders');
  await page
    .getByRole('article')
    .getByRole('link', { name: `Order #${orderNumber(id)}` })
    .click();
  await expect(page).toHaveURL(`/orders/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${orderNumber(id)}`);
  await expect(page).toHaveTitle(new RegExp(`^Order #${orderNumber(id)}`));
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(section('Items').locator('dl > div')).toHaveText([
    'Subtotal$25.00',
    'Tax (6%)$1.50',
    'Total$26.50',
    'Refunded−$13.25',
  ]);
  await expect(section('Payment')).toContainText(`$13.25 for 1 × ${product.name} refunded to Visa •••• 4242`);
  await expect(section('Timeline').getByRole('listitem')).toContainText([
    'Order placed',
    'Paid $26.50 by card',
    'Digital items delivered',
    'Refund of $13.25',
    '$13.25 given back to Visa •••• 4242',
  ]);
  await looksRightEverywhere(page);
  await section('Items').getByRole('link', { name: 'View Items' }).click();
  await expect(page).toHaveURL(`/order-items/${id}`);
  await expect(page).toHaveTitle(new RegExp(`^Items of order #${orderNumber(id)}`));
});

test('a buyer prints the receipt, buys again, cancels, and gets a credit note', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ price_cents: 1250, items: 3 });
  const gone = await stockUp();
  const id = await buyAsCustomer(shop, customer, [
    { product, quantity: 2 },
    { product: gone, quantity: 1 },
  ]);
  await signedIn(page, customer);
  await page.goto(`/orders/${id}`);
  await page.getByRole('link', { name: /^Receipt \d{6}$/ }).click();
  await expect(page).toHaveURL(new RegExp(`/orders/${id}/receipt`));
  const sheet = page.getByRole('article', { name: /^Receipt/ });
  await expect(sheet).toContainText('12 Jalan Contoh');
  await expect(sheet).toContainText(customer.email);
  await expect(sheet.getByRole('row')).toContainText(['Item', product.name, gone.name]);
  await expect(sheet).toContainText('Visa •••• 4242');
  await expect(sheet).toContainText('Subtotal$35.00Tax (6%)$2.10Total (USD)$37.10');
  await looksRightEverywhere(page);

  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => document.documentElement.classList.add('dark'));
  await expect(sheet).toBeVisible();
  await expect(page.getByRole('banner').first()).toBeHidden();
  await expect(page.getByRole('contentinfo')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  // Dark text on white paper, whatever the theme.
  expect(await sheet.evaluate((article) => getComputedStyle(article).backgroundColor)).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ media: null });
  await page.getByRole('link', { name: /^Order #/ }).click();

  await page.getByRole('button', { name: 'Buy again' }).click();
  const cart = page.getByRole('dialog', { name: /Shopping Cart/ });
  await expect(cart).toContainText(product.name);
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(`${gone.name} is not available`);
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(`${product.name}: Only 1 items`);
  await cart.getByRole('button', { name: 'Close', exact: true }).click();

  await page.getByRole('button', { name: 'Cancel order' }).click();
  const question = page.getByRole('dialog', { name: 'Cancel this order?' });
  await expect(question).toContainText('$37.10 goes back to Visa •••• 4242');
  await question.getByRole('button', { name: 'Cancel order' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Your order is cancelled');
  await expect(page.getByRole('main')).toContainText('You cancelled this order');
  await expect(page.getByRole('button', { name: 'Cancel order' })).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.getByRole('link', { name: /^Credit note \d{6}$/ }).click();
  await expect(page.getByRole('article', { name: /^Credit note/ })).toContainText('Total given back (USD)$37.10');
});

test('a receipt that failed to load can be retried, and its page links back to the order', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  complaints,
}) => {
  const id = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  const path = `/api/orders/${id}/receipts`;
  complaints.expectFailedRequest(path, 500);
  await signedIn(page, customer);
  await page.route(path, (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`/orders/${id}/receipt`);
  const main = page.getByRole('main');
  await expect(main.getByRole('alert')).toContainText('Failed to load the receipt');
  await expect(main.getByRole('link', { name: `Order #${orderNumber(id)}` })).toHaveAttribute('href', `/orders/${id}`);
  await page.unrouteAll();
  await main.getByRole('button', { name: 'Try again' }).click();
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Receipt');
});

test('one press shows, hides or copies all items of a product without another call, and no item is read aloud', async ({
  page,
  context,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ items: 3 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 3 }]);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signedIn(page, customer);
  await page.goto(`/order-items/${id}`);
  const codes = page.getByRole('main').getByRole('code');
  const all = (verb: string) => page.getByRole('button', { name: `${verb} all 3 items of ${product.name}` });
  await expect(codes).toHaveText(Array(3).fill(/•/));
  const calls: string[] = [];
  // The product's picture may still be loading.
  page.on('request', (request) => request.resourceType() === 'fetch' && calls.push(request.url()));
  const masked = await codes.first().elementHandle();

  await all('Show').click();
  await expect(all('Hide')).toBeFocused();
  // A screen reader reads the change of a live region, and nothing of a region that is new.
  expect(await masked?.evaluate((region) => region.isConnected)).toBe(false);
  expect((await codes.allTextContents()).toSorted()).toEqual(product.keys.toSorted());
  await page.getByRole('button', { name: 'Hide item 2' }).click();
  await all('Show').click();
  await all('Hide').click();
  await expect(codes).toHaveText(Array(3).fill(/•/));
  await all('Copy').click();
  await expect(all('Copied')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split('\n').toSorted()).toEqual(product.keys.toSorted());
  expect(calls).toEqual([]);
});

test('printed pages of an order have nothing that can only be pressed', async ({
  page,
  shop,
  stockUp,
  customer,
  otherBrowser,
  signedIn,
  admin: _,
}) => {
  const product = await stockUp({ items: 2, warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  const prints = async (printed: Page, path: string, ...texts: (string | RegExp)[]) => {
    await printed.emulateMedia({ media: 'print' });
    for (const text of texts) await expect(printed.getByRole('main').getByText(text).first(), path).toBeVisible();
    const pressable = printed.locator('button, dialog, header, footer, input, select, textarea, [popover]');
    await expect(pressable.filter({ visible: true }), path).toHaveCount(0);
    await expect(printed.getByRole('link', { name: /^(Back to|View Items)/ }), path).toHaveCount(0);
    await printed.emulateMedia({ media: null });
  };

  await buyer.goto(`/order-items/${order}`);
  await buyer.getByRole('button', { name: 'Show item 1' }).click();
  await prints(buyer, 'items', product.name, product.keys[0] ?? '', /^Warranty until/);
  await buyer.goto('/orders');
  await prints(buyer, 'orders', product.name, '$10.60');
  await buyer.goto(`/orders/${order}`);
  await buyer.getByRole('button', { name: 'Buy again' }).click();
  await expect(buyer.getByRole('dialog', { name: /Shopping Cart/ })).toBeVisible();
  await prints(buyer, 'order', product.name, 'Timeline');

  await page.goto(`/admin/orders/${order}`);
  await page.getByRole('button', { name: 'Resend mail' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('on its way again');
  await prints(page, 'order on the dashboard', product.name, 'Timeline', customer.email);
});

test('an address with a malformed id of an order or a product says that there is none', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest(/cut-off/, 400);
  complaints.expectFailedRequest('/api/my-reviews', 400);
  await signedIn(page, customer);
  for (const path of ['/orders/cut-off', '/orders/cut-off/receipt', '/order-items/cut-off']) {
    await page.goto(path);
    await expect(page.getByRole('main')).toContainText('Order not found');
  }
  await page.goto('/review/cut-off');
  await expect(page.getByRole('heading', { name: 'Nothing to review here' })).toBeVisible();
});
